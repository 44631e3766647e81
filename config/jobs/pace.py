"""The size of a batch and the rest after it, so that a job does not delay other writers.

SQLite allows one write at a time. What the rows of a batch cost decides the size of the next one, so batches are large
on a quiet machine and smaller on a busy one.
"""

import time
from collections.abc import Mapping

from django.db import connection

from config.jobs.batch_size import BatchSize

TARGET_SECONDS = 0.008  # a concurrent send must wait less than 0.1 s, and some batches take five times as long
# For rows of past days, which no send needs. PostgreSQL locks only these rows, and a batch has eight statements, so a
# short batch would contain only a few rows.
OLD_ROWS_SECONDS = {"sqlite": TARGET_SECONDS, "postgresql": 0.02}
FIRST = 20
FEWEST_OLD_ROWS = {"sqlite": 5, "postgresql": 500}
REST_AFTER_OLD_ROWS: Mapping[str, float] = {"sqlite": 4, "postgresql": 0.25}  # no send waits for these rows
# PostgreSQL locks only the rows of the batch. SQLite locks everything.
FEWEST = {"sqlite": 5, "postgresql": 200}
SHORTEST_REST_SECONDS, LONGEST_REST_SECONDS = 0.005, 0.5
REST_BY_WORK: Mapping[str, float] = {
    "sqlite": 4,
    "postgresql": 1,
}  # a waiting SQLite writer tries every 0.1 s and needs a long gap


class Pace:
    """`at_once` is the size of the next batch. Call `begin` before and `end` after each batch.

    seconds: what the rows of a batch may cost; first: the size of the first batch; fewest: the smallest, by database
    rest_by_work: the length of the rest after a batch, by database, as a part of its duration

    >>> pace = Pace()
    >>> pace.begin()
    >>> pace.end(20)
    >>> pace.at_once
    40
    """

    def __init__(
        self,
        seconds: float = TARGET_SECONDS,
        *,
        first: int = FIRST,
        fewest: Mapping[str, int] = FEWEST,
        rest_by_work: Mapping[str, float] = REST_BY_WORK,
    ) -> None:
        self._size = BatchSize(seconds, first=first, fewest=fewest[connection.vendor])
        self._rest_by_work = rest_by_work
        self._began_at = 0.0

    @property
    def at_once(self) -> int:
        return self._size.rows

    def begin(self) -> None:
        self._began_at = time.monotonic()

    def end(self, rows: int) -> None:
        """Set the size of the next batch after a batch of `rows`. An empty batch changes nothing."""
        self._size.learn(rows, self._took())

    def rest(self) -> None:
        """Sleep for as long as the batch took, on SQLite four times as long."""
        rest = self._took() * self._rest_by_work[connection.vendor]
        time.sleep(min(max(rest, SHORTEST_REST_SECONDS), LONGEST_REST_SECONDS))

    def _took(self) -> float:
        return time.monotonic() - self._began_at
