"""While the replica is away, a process reads from the primary twice at once. Source: docs/scaling.md, Parts."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread

import pytest
from django.db import OperationalError, connections
from pytest_django import DjangoDbBlocker

from config.databases import replica


@pytest.fixture
def no_replica(django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[None]:
    """Name a replica without tables, so that the service finds no row of the clock in it."""
    connections.settings[replica.ALIAS] = {
        **connections.settings["default"],
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": tmp_path / "replica.sqlite3",
        "OPTIONS": {},
    }
    with django_db_blocker.unblock():
        yield
        connections[replica.ALIAS].close()
    del connections[replica.ALIAS]
    del connections.settings[replica.ALIAS]


def read_in_thread(closing: ExitStack) -> None:
    """Start a read of the primary in another thread, and end it with `closing`."""
    has_begun, may_end = Event(), Event()

    def read() -> None:
        with replica.reads():
            has_begun.set()
            may_end.wait(30)

    thread = Thread(target=read)
    thread.start()
    closing.callback(thread.join)
    closing.callback(may_end.set)
    assert has_begun.wait(10)


def test_a_third_read_of_the_primary_waits_and_is_refused(no_replica: None) -> None:
    with ExitStack() as closing:
        read_in_thread(closing)
        lines = replica.read_from(iter("ab"))
        started_at = time.monotonic()
        with pytest.raises(OperationalError, match="replica is away"):
            replica.read_from(iter("c"))
        waited_seconds = time.monotonic() - started_at

        assert waited_seconds >= replica.WAIT_SECONDS
        assert list(lines) == ["a", "b"]  # its end makes room for another
        with replica.reads():
            assert replica.connection().alias == "default"


def test_a_response_that_nobody_reads_makes_room_for_others(no_replica: None) -> None:
    for _ in range(2 * replica.READS_OF_PRIMARY):
        lines = replica.read_from(iter("ab"))
        del lines

    with replica.reads():
        assert replica.connection().alias == "default"


def test_lines_are_read_inside_and_the_rest_of_the_request_is_not(no_replica: None) -> None:
    def lines() -> Iterator[str | None]:
        yield replica._alias.get()

    reading = replica.read_from(lines())

    assert replica._alias.get() is None
    assert list(reading) == ["default"]
    assert replica._alias.get() is None
