"""The periods of a read by period. Source: docs/reference/data-sets.md §11 (by period, time zones).

The periods of a time zone are counted in local times, which are labelled as UTC. An hour is 60 minutes everywhere, so
hours are counted in UTC from the local hour in which the range begins.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from datasets import errors
from datasets.queries import local_time
from datasets.queries.local_time import BEGINNING, OffsetChange, Shift
from datasets.queries.query import Query
from datasets.records import moments

_HOUR = timedelta(hours=1)
_FIXED = {"hour": _HOUR, "day": timedelta(days=1), "week": timedelta(weeks=1)}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The range of a read by period.

    borders: the start of each period, and the end of the last one
    starts: the starts as an engine finds them, after it has added `shift` to the moments of records
    """

    borders: list[datetime]
    starts: list[datetime]
    start_at: datetime
    end_at: datetime
    inclusive: bool
    shift: Shift = ()


def window(query: Query, period: str, *, now: datetime, max_rows: int) -> Window:
    """Return the window of a query by period. With a duration, it has whole periods. Raises InvalidQuery."""
    try:
        starts = _starts(query, period, now, max_rows)
        borders = starts if query.time_zone is None else [_instant(start, period, query) for start in starts]
    except OverflowError as error:
        raise errors.FarFuture from error
    if query.start_at is None or query.end_at is None:
        start_at, end_at, inclusive = borders[0], borders[-1], False
    else:
        start_at, end_at, inclusive = query.start_at, query.end_at, query.inclusive
    shift: Shift = ()
    if query.time_zone is not None and period == "hour":
        late = starts[0] - moments.period_starts(starts[0])["hour"]
        shift, starts = (OffsetChange(BEGINNING, -late // timedelta(seconds=1)),), [start - late for start in starts]
    elif query.time_zone is not None:
        shift = local_time.offsets(query.time_zone, start_at, end_at)
    return Window(
        borders=borders, starts=starts[:-1], start_at=start_at, end_at=end_at, inclusive=inclusive, shift=shift
    )


def _starts(query: Query, period: str, now: datetime, max_rows: int) -> list[datetime]:
    """Return the start of each period and the end of the last one, in local time (hours: in UTC)."""
    if query.duration is not None:
        if query.duration > max_rows:
            raise too_many(max_rows)
        if query.start_at is not None:
            return _counted(_start(query.start_at, period, query), period, query, query.duration)
        return _counted(_start(query.end_at or now, period, query), period, query, -query.duration)[::-1]
    assert query.start_at is not None  # noqa: S101  `parameters` has checked it
    assert query.end_at is not None  # noqa: S101
    starts = [_start(query.start_at, period, query)]
    end = query.end_at
    while (last := _instant(starts[-1], period, query)) < end or (query.inclusive and last == end):
        if len(starts) > max_rows:
            raise too_many(max_rows)
        is_plain = query.time_zone is None
        starts.append(shifted(starts[-1], period, 1) if is_plain else _beside(starts[-1], period, query, 1))
    return starts


def _counted(start: datetime, period: str, query: Query, count: int) -> list[datetime]:
    """Return a start and those of the next periods, or of the periods before if the count is negative."""
    starts = [start]
    while len(starts) <= abs(count):
        starts.append(_beside(starts[-1], period, query, 1 if count > 0 else -1))
    return starts


def _beside(start: datetime, period: str, query: Query, step: int) -> datetime:
    """Return the start of the period after or before another one."""
    found = shifted(start, period, step)
    while period == "day" and query.time_zone is not None and local_time.is_skipped(found, query.time_zone):
        found = shifted(found, period, step)
    return found


def _start(moment: datetime, period: str, query: Query) -> datetime:
    """Return the start of the period that contains the moment, in local time (hours: in UTC)."""
    if query.time_zone is None:
        return moments.period_starts(moment)[period]
    at = local_time.local(moment, query.time_zone)
    start = moments.period_starts(at)[period]
    return moment - (at - start) if period == "hour" else start


def _instant(start: datetime, period: str, query: Query) -> datetime:
    if query.time_zone is None or period == "hour":
        return start
    return local_time.instant(start, query.time_zone)


def next_start(now: datetime, period: str) -> datetime:
    """Return the start of the next period. Raises OverflowError after the year 9999.

    >>> next_start(moments.parse("2024-02-29T13:45Z"), "month").isoformat()
    '2024-03-01T00:00:00+00:00'
    """
    return shifted(moments.period_starts(now)[period], period, 1)


def too_many(max_rows: int) -> errors.InvalidQuery:
    return errors.TooManyRows(limit=max_rows)


def shifted(start: datetime, period: str, count: int) -> datetime:
    """Return the start of the period that is `count` periods later. Raises OverflowError outside years 1 to 9999."""
    if period in _FIXED:
        return start + count * _FIXED[period]
    months = start.year * 12 + start.month - 1 + count * _MONTHS[period]
    try:
        return start.replace(year=months // 12, month=months % 12 + 1)
    except ValueError as error:
        raise OverflowError from error
