"""The clock: one ticks, another waits and takes over; a worker shows that it is there."""

import time
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from config import models
from config.models import Presence
from tests.servers import wait_until

pytestmark = pytest.mark.django_db


def test_a_name_is_held_by_one():
    assert models.hold("clock", "first", seconds=20)
    assert not models.hold("clock", "second", seconds=20)


def test_its_holder_keeps_it():
    models.hold("clock", "first", seconds=20)

    assert models.hold("clock", "first", seconds=20)


def test_a_holder_that_has_been_silent_loses_it():
    models.hold("clock", "first", seconds=20)
    Presence.objects.update(seen_at=Now() - timedelta(seconds=21))

    assert models.hold("clock", "second", seconds=20)
    assert not models.hold("clock", "first", seconds=20)


def test_a_name_given_back_is_free_at_once():
    models.hold("clock", "first", seconds=20)

    models.release("clock", "first")

    assert models.hold("clock", "second", seconds=20)


def test_nobody_gives_back_the_name_of_another():
    models.hold("clock", "first", seconds=20)

    models.release("clock", "second")

    assert not models.hold("clock", "second", seconds=20)


def test_presence_is_seen_for_a_while():
    models.note("worker", "a-machine")
    assert models.is_there("worker", within_seconds=30)

    Presence.objects.update(seen_at=Now() - timedelta(seconds=31))
    assert not models.is_there("worker", within_seconds=30)

    models.note("worker", "another-machine")
    assert models.is_there("worker", within_seconds=30)


def test_a_second_clock_waits_until_the_first_has_stopped(start_service):
    service = start_service()
    first = service.start("first", *service.python, "manage.py", "clock")
    wait_until(lambda: "clock.ticks" in first.tail())
    second = service.start("second", *service.python, "manage.py", "clock")
    time.sleep(3)
    waited = "clock.ticks" not in second.tail()

    first.stop()

    assert waited
    wait_until(lambda: "clock.ticks" in second.tail(), 15)
    assert second.is_running()
