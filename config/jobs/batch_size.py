"""The size of the next batch, from what one row costs.

A batch also has a cost that does not depend on its size: its statements and its commit. A size that followed the whole
time shrank to 5 rows on a busy machine, where the fixed part alone took longer than the target: 38 rows a second.
"""

MOST = 1000
_DIFFERENT = 1.5  # two batches show the cost of a row only if their sizes differ by this factor
_LEAST_PART = 0.01  # of a batch that its rows are taken to cost at least, because a measurement may be wrong


class BatchSize:
    """`rows` is the size of the next batch. Call `learn` after each.

    seconds: what the rows of a batch may cost together
    fewest: the floor, whatever a row costs

    >>> size = BatchSize(0.02, first=20, fewest=10)
    >>> for _ in range(8):  # 0.1 s for each batch and 0.1 ms for each row
    ...     size.learn(size.rows, 0.1 + 0.0001 * size.rows)
    >>> 150 < size.rows < 260
    True
    """

    def __init__(self, seconds: float, *, first: int, fewest: int) -> None:
        self.rows = first
        self._seconds, self._fewest = seconds, fewest
        self._fixed = 0.0
        self._last: tuple[int, float] | None = None

    def learn(self, rows: int, seconds: float) -> None:
        """Set the size of the next batch after one of `rows`. A batch without rows changes nothing."""
        if not rows:
            return
        self._learn_fixed(rows, seconds)
        of_rows = max(seconds - self._fixed, seconds * _LEAST_PART, 0.000_1)
        fits = int(rows * self._seconds / of_rows)
        self.rows = min(max(fits, self._fewest), MOST, self.rows * 2)

    def _learn_fixed(self, rows: int, seconds: float) -> None:
        if self._last is not None:
            (fewer, quick), (more, slow) = sorted([self._last, (rows, seconds)])
            if more < fewer * _DIFFERENT:
                return
            of_one = max((slow - quick) / (more - fewer), 0.0)
            self._fixed = max(quick - of_one * fewer, 0.0)
        self._last = (rows, seconds)
