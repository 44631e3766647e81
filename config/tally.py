"""What one process has counted and not stored yet, off the road of the call that it counts.

A row that each call had to change would be a lock all of them wait for. So a process adds up in memory, and stores it
every few seconds with the figures (`figures.also_flush`). What the database does not take then stays for the next time;
a process that is killed takes its last seconds along.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

import structlog
from django.db import DatabaseError, transaction

Key = TypeVar("Key", bound=Hashable)

log = structlog.get_logger()


class Tally(Generic[Key]):
    """Counts by key; most: so many keys, and no further ones, between two times of storing."""

    def __init__(self, *, most: int | None = None) -> None:
        self._counts: Counter[Key] = Counter()
        self._most = most
        self._lock = Lock()

    def add(self, key: Key, number: int = 1) -> None:
        with self._lock:
            if self._most is None or key in self._counts or len(self._counts) < self._most:
                self._counts[key] += number

    def take(self) -> Counter[Key]:
        """Hand out what has been counted, and begin anew."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        return counts

    def give_back(self, counts: Counter[Key]) -> None:
        with self._lock:
            self._counts.update(counts)


@contextmanager
def storing(give_back: Callable[[], None]) -> Iterator[None]:
    """Write within one transaction what has been taken; where the database refuses, it is given back."""
    try:
        with transaction.atomic():
            yield
    except DatabaseError as error:
        log.debug("tally.kept", error=type(error).__name__)
        give_back()
