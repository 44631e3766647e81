"""A lease has one holder at a time, who keeps the row by renewing it and loses it otherwise."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from config.queue.lease import Lease, LostLease
from config.queue.presence import Presence

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def row():
    Presence.objects.bulk_create([Presence(name="row", holder="", seen_at=Now())])


def lease(seconds=20):
    return Lease(rows=Presence.objects.filter(name="row"), seconds=seconds)


def let_pass(seconds):
    Presence.objects.update(seen_at=Now() - timedelta(seconds=seconds))


def test_one_holder_at_a_time_has_the_row():
    first, second = lease(), lease()

    assert [first.take(), second.take(), first.take()] == [True, False, True]


def test_a_silent_holder_loses_the_row_and_stores_nothing():
    first, second = lease(), lease()
    first.take()
    let_pass(21)

    assert second.take()
    with pytest.raises(LostLease):
        first.renew(name="renamed")
    assert first.release(name="renamed") is False
    assert Presence.objects.get().name == "row"
    assert Presence.objects.get().holder == second.holder


def test_renewing_keeps_the_row_and_stores_progress():
    first = lease()
    first.take()
    let_pass(19)

    first.renew()
    let_pass(19)

    assert not lease().take()


def test_a_released_row_is_free_at_once():
    first = lease()
    first.take()

    assert first.release() is True
    assert lease().take()


def test_a_row_that_no_longer_meets_the_conditions_is_not_taken():
    held = Lease(rows=Presence.objects.filter(name="row", holder="somebody"), seconds=20)

    assert not held.take()
