"""The clock: one publishes, another waits and takes over. A worker records that it runs."""

import time
from datetime import timedelta

import pytest
from django.conf import settings
from django.db.models.functions import Now

from config.queue import clock, presence, publishing
from config.queue.app import app
from config.queue.presence import Presence
from tests.servers import wait_until

pytestmark = pytest.mark.django_db


def test_one_holder_has_the_lease():
    assert presence.take("clock", "first", seconds=20)
    assert not presence.take("clock", "second", seconds=20)


def test_its_holder_keeps_the_lease():
    presence.take("clock", "first", seconds=20)

    assert presence.take("clock", "first", seconds=20)


def test_a_silent_holder_loses_the_lease():
    presence.take("clock", "first", seconds=20)
    Presence.objects.update(seen_at=Now() - timedelta(seconds=21))

    assert presence.take("clock", "second", seconds=20)
    assert not presence.take("clock", "first", seconds=20)


def test_a_released_lease_is_free_at_once():
    presence.take("clock", "first", seconds=20)

    presence.release("clock", "first")

    assert presence.take("clock", "second", seconds=20)


def test_only_the_holder_releases_the_lease():
    presence.take("clock", "first", seconds=20)

    presence.release("clock", "second")

    assert not presence.take("clock", "second", seconds=20)


def test_presence_expires():
    presence.note("worker", "a-machine")
    assert presence.is_there("worker", within_seconds=30)

    Presence.objects.update(seen_at=Now() - timedelta(seconds=31))
    assert not presence.is_there("worker", within_seconds=30)

    presence.note("worker", "another-machine")
    assert presence.is_there("worker", within_seconds=30)


@pytest.mark.fault("A11")
def test_a_second_clock_waits_until_the_first_has_stopped(start_service):
    service = start_service()
    first = service.start("first", "manage.py", "clock")
    wait_until(lambda: first.has_said("clock.ticks"))
    second = service.start("second", "manage.py", "clock")
    time.sleep(3)
    waited = not second.has_said("clock.ticks")

    first.stop()

    assert waited
    wait_until(lambda: second.has_said("clock.ticks"))
    assert second.is_running()


def test_scheduled_tasks_do_not_expire_by_a_workers_clock_and_do_not_pile_up():
    beat = clock.Clock(app=app, lazy=True)
    entry = beat.Entry(app=app, **settings.CELERY_BEAT_SCHEDULE["config.queue.tasks.note_worker"])
    with app.connection_for_read() as connection:
        connection.SimpleQueue("periodic").clear()

    for _ in range(clock.CROWDED + 5):
        beat.apply_async(entry, advance=False)

    assert publishing.waiting("periodic")["periodic"] == clock.CROWDED
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue("periodic")
        message = queue.get(timeout=60)
        message.ack()
        assert message.headers["expires"] is None
        queue.clear()
