"""How many rows a batch takes, so that it is over before a writer notices: SQLite lets one write at a time.

Each batch is as large as the one before says that its time holds: a quiet machine takes many, a busy one few.
"""

import time

TARGET_SECONDS = 0.008  # a send beside it is to wait less than 0.1 s, and some batches take five times as long
# For rows of days gone by, which no send wants: PostgreSQL locks nothing else, and a batch has eight statements of its
# own, so that a short one would hold a handful of rows.
OLD_ROWS_SECONDS = {"sqlite": TARGET_SECONDS, "postgresql": 0.02}
FIRST, FEWEST, MOST = 20, 5, 1000


class Pace:
    """`at_once` is the size of the next batch; `begin` and `end` stand around each.

    seconds: what a batch should take

    >>> pace = Pace()
    >>> pace.begin()
    >>> pace.end(20)
    >>> pace.at_once
    40
    """

    def __init__(self, seconds: float = TARGET_SECONDS) -> None:
        self.at_once = FIRST
        self._seconds = seconds
        self._began_at = 0.0

    def begin(self) -> None:
        self._began_at = time.monotonic()

    def end(self, rows: int) -> None:
        """Learn from a batch of so many rows; one that found nothing tells nothing."""
        if rows:
            took = max(time.monotonic() - self._began_at, 0.000_1)
            fits = int(rows * self._seconds / took)
            self.at_once = max(FEWEST, min(fits, MOST, self.at_once * 2))
