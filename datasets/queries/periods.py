"""The periods of a read by period. Source: docs/reference/data-sets.md §11 (by period)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from datasets import errors
from datasets.queries.query import Query
from datasets.records import moments

_FIXED = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The range of a read by period. borders: the start of each period, and the end of the last one."""

    borders: list[datetime]
    start_at: datetime
    end_at: datetime
    inclusive: bool


def window(query: Query, period: str, *, now: datetime, max_rows: int) -> Window:
    """Return the window of a query by period. With a duration, it has whole periods. Raises InvalidQuery."""
    try:
        borders = _borders(query, period, now, max_rows)
    except OverflowError as error:
        raise errors.FarFuture from error
    if query.start_at is not None and query.end_at is not None:
        return Window(borders=borders, start_at=query.start_at, end_at=query.end_at, inclusive=query.inclusive)
    return Window(borders=borders, start_at=borders[0], end_at=borders[-1], inclusive=False)


def _borders(query: Query, period: str, now: datetime, max_rows: int) -> list[datetime]:
    if query.duration is not None:
        if query.duration > max_rows:
            raise too_many(max_rows)
        if query.start_at is not None:
            first = moments.period_starts(query.start_at)[period]
        else:
            last = moments.period_starts(query.end_at or now)[period]
            first = _shift(last, period, -query.duration)
        return [_shift(first, period, count) for count in range(query.duration + 1)]
    assert query.start_at is not None  # noqa: S101  `parameters` has checked it
    assert query.end_at is not None  # noqa: S101
    borders = [moments.period_starts(query.start_at)[period]]
    while borders[-1] < query.end_at or (query.inclusive and borders[-1] == query.end_at):
        if len(borders) > max_rows:
            raise too_many(max_rows)
        borders.append(_shift(borders[-1], period, 1))
    return borders


def next_start(now: datetime, period: str) -> datetime:
    """Return the start of the next period. Raises OverflowError after the year 9999.

    >>> next_start(moments.parse("2024-02-29T13:45Z"), "month").isoformat()
    '2024-03-01T00:00:00+00:00'
    """
    return _shift(moments.period_starts(now)[period], period, 1)


def too_many(max_rows: int) -> errors.InvalidQuery:
    return errors.TooManyRows(limit=max_rows)


def _shift(start: datetime, period: str, count: int) -> datetime:
    """Return the start of the period that is `count` periods later. Raises OverflowError outside years 1 to 9999."""
    if period in _FIXED:
        return start + count * _FIXED[period]
    months = start.year * 12 + start.month - 1 + count * _MONTHS[period]
    try:
        return start.replace(year=months // 12, month=months % 12 + 1)
    except ValueError as error:
        raise OverflowError from error
