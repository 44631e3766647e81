"""Drain a queue of database rows: claim a batch, process it, record the results, and repeat.

A wake-up only starts a drain; a running drain takes new rows without one. Two values are kept between the drains of a
process: the rate of the last batch, and the order in which services were last served.
Source: docs/reference/security.md §9, promise 6, and §10.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from math import ceil
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import structlog
from django.db import connections

# Short, because a worker finishes its drain before it stops, and because its other queues wait for the drain.
# No item starts later than this, so a task ends before its time limit even if the last item is slow.
DRAIN_SECONDS = 2.0
BATCH_SECONDS = 1.0  # the work in one batch, at the rate of the last one
SLOW_SECONDS = 2.0  # after the start of a batch; then the items that have not started are put back
LARGEST_BATCH = 10
REMEMBERED = 1000  # most services or endpoints whose order is kept

Item = TypeVar("Item")

log = structlog.get_logger()


class Queue(Protocol[Item]):
    """The due rows of one kind."""

    def claim(self, size: int, served: Sequence[UUID]) -> list[Item]:
        """Claim up to `size` items. served: owners, least recently served first; owners not listed come before them."""

    def owner_of(self, item: Item) -> UUID:
        """Return the id of the service or endpoint of the item."""

    def work(self, item: Item) -> timedelta | None:
        """Process one item. Return the delay until it is due again, or None."""

    def record(self) -> None:
        """Record the results that `work` has not recorded. Two threads may call it at the same time."""

    def put_back(self, items: Sequence[Item]) -> None:
        """Undo the claims of items that have not started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """is_more_left: the time ended before the queue was empty; retries: seconds until items are due again."""

    is_more_left: bool
    retries: set[int] = field(default_factory=set)


class Drain(Generic[Item]):
    """Drains one queue.

    wake: wakes another worker for items that were put back during a slow item
    """

    def __init__(
        self,
        queue: Queue[Item],
        *,
        largest_batch: int = LARGEST_BATCH,
        seconds: float = DRAIN_SECONDS,
        slow_seconds: float = SLOW_SECONDS,
        wake: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue, self._largest, self._wake, self._clock = queue, largest_batch, wake, clock
        self._seconds, self._slow_seconds = seconds, slow_seconds
        self._per_second = 0.0  # unknown, so the first batch has one item
        self._served: dict[UUID, None] = {}

    def run(self) -> Drained:
        """Process items until none is due or the time is used up."""
        ends_at = self._clock() + self._seconds
        retries: set[int] = set()
        while (left := ends_at - self._clock()) > 0:
            batch = self._queue.claim(self._size(left), list(self._served))
            if not batch:
                return Drained(is_more_left=False, retries=retries)
            retries |= self._work(batch, ends_at)
        return Drained(is_more_left=True, retries=retries)

    def _size(self, seconds_left: float) -> int:
        return max(1, min(self._largest, int(self._per_second * min(BATCH_SECONDS, seconds_left))))

    def _work(self, batch: Sequence[Item], ends_at: float) -> set[int]:
        """Process a batch until it or the time ends. Put back the items that have not started."""
        began, begun = self._clock(), 0
        retries: set[int] = set()
        left = deque(batch)
        relief = threading.Timer(self._slow_seconds, self._relieve, [left])
        relief.daemon = True  # it must not delay the end of a worker
        relief.start()
        try:
            for item in _pop(left):
                begun += 1
                self._note_served(self._queue.owner_of(item))
                delay = self._queue.work(item)
                if delay:
                    retries.add(ceil(delay.total_seconds()))
                if self._clock() >= ends_at:
                    break
        finally:
            relief.cancel()
            relief.join()
            self._queue.record()
            if rest := list(_pop(left)):
                self._queue.put_back(rest)
            self._per_second = begun / max(self._clock() - began, 0.001)
        return retries

    def _relieve(self, left: deque[Item]) -> None:
        """Record results and put back the items that have not started. Runs in a second thread when an item is slow.

        An item may take 25 s. Items of other owners and unrecorded acceptances must not wait for it.
        """
        try:
            self._queue.record()
            if rest := list(_pop(left)):
                self._queue.put_back(rest)
                self._wake()
        except Exception as error:  # the drain records again, and the claims expire
            log.error("drain.not_relieved", exc_info=error)
        finally:
            connections.close_all()  # the connections of this thread

    def _note_served(self, owner: UUID) -> None:
        self._served.pop(owner, None)
        self._served[owner] = None  # last
        if len(self._served) > REMEMBERED:
            del self._served[next(iter(self._served))]


def _pop(left: deque[Item]) -> Iterator[Item]:
    """Yield the items that the other thread has not taken."""
    while True:
        try:
            item = left.popleft()
        except IndexError:
            return
        yield item
