"""Find the earlier range and the earlier periods that an answer is compared with.

Source: docs/reference/data-sets.md §11 (compare).
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from datasets import errors
from datasets.queries import local_time, periods
from datasets.queries.collect import RowAggregate
from datasets.queries.groups import GroupRow
from datasets.queries.periods import Window
from datasets.queries.query import Query
from datasets.records import moments

_DAY = timedelta(days=1)
_52_WEEKS = timedelta(weeks=52)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """The query over the earlier range. numbers: for each period of the answer, that of the earlier period, or None"""

    query: Query
    window: Window | None
    numbers: list[int | None]


def earlier(query: Query, window: Window | None, *, now: datetime, max_rows: int) -> Earlier | None:
    """Return the earlier query, or None if its range is empty. Raises InvalidQuery."""
    span = window or query
    assert span.start_at is not None  # noqa: S101  `parameters` has checked it
    assert span.end_at is not None  # noqa: S101
    try:
        start_at, end_at = _range(query, span.start_at, span.end_at)
    except (OverflowError, ValueError) as error:
        raise errors.CompareTooEarly from error
    if start_at > end_at or (start_at == end_at and not span.inclusive):
        return None
    before = replace(
        query,
        start_at=start_at,
        end_at=end_at,
        inclusive=span.inclusive,
        duration=None,
        sort=None,
        limit=None,
        having=None,
        compare=None,
        moving=None,
    )
    if window is None:
        return Earlier(query=before, window=None, numbers=[])
    assert query.period is not None  # noqa: S101  a window has periods
    its_window = periods.window(before, query.period, now=now, max_rows=2 * max_rows)
    return Earlier(query=before, window=its_window, numbers=_numbers(query, window, its_window))


def add_previous(found: list[GroupRow], query: Query, earlier: Earlier | None, before: list[GroupRow]) -> None:
    """Add `_previous` to the row of each group and of each period. before: the groups of the earlier query"""
    by_key = {group.key: group for group in before}
    nothing = RowAggregate(query.collect).shown()
    for group in found:
        its = by_key.get(group.key)
        if query.group_by or query.period is None:
            group.whole["_previous"] = nothing if its is None else _values_of(its.whole, nothing)
        for number, row in enumerate(group.series):
            place = None if its is None or earlier is None else earlier.numbers[number]
            row["_previous"] = nothing if its is None or place is None else _values_of(its.series[place], nothing)


def _values_of(row: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    return {key: row[key] for key in keys}


def _range(query: Query, start_at: datetime, end_at: datetime) -> tuple[datetime, datetime]:
    first, last = _local(start_at, query), _local(end_at, query)
    if query.compare == "previous_year":
        # The end is no part of the range: a range that ends with 28 February ends on 29 February in a leap year.
        is_midnight = last == moments.period_starts(last)["day"]
        its_end = _year_before(last - _DAY, query) + _DAY if is_midnight else _year_before(last, query)
        return _instant(_year_before(first, query), query), _instant(its_end, query)
    if all(each == moments.period_starts(each)["month"] for each in (first, last)):
        months = (last.year - first.year) * 12 + last.month - first.month
        return tuple(_instant(periods.shifted(each, "month", -months), query) for each in (first, last))  # type: ignore[return-value]  # of two
    if all(each == moments.period_starts(each)["day"] for each in (first, last)):
        return _instant(first - (last - first), query), start_at
    return start_at - (end_at - start_at), start_at


def _numbers(query: Query, window: Window, before: Window) -> list[int | None]:
    periods_before = len(before.starts)
    if query.compare == "previous_period":
        return [number if number < periods_before else None for number in range(len(window.starts))]
    return [_number(before.borders[:-1], at) for at in (_period_before(query, each) for each in window.borders[:-1])]


def _period_before(query: Query, start: datetime) -> datetime | None:
    """Return the start of the same period of the year before, or None if the clocks skip it."""
    if query.period != "hour" or query.time_zone is None:
        its = _year_before(_local(start, query), query)
        is_skipped = query.period == "day" and query.time_zone and local_time.is_skipped(its, query.time_zone)
        return None if is_skipped else _instant(its, query)
    zone = ZoneInfo(query.time_zone)
    at = start.astimezone(zone)
    label = _year_before(at.replace(tzinfo=UTC, fold=0), query)
    found = label.replace(tzinfo=zone, fold=at.fold).astimezone(UTC)
    return found if _local(found, query) == label else None


def _number(starts: list[datetime], start: datetime | None) -> int | None:
    if start is None:
        return None
    place = bisect_left(starts, start)
    return place if place < len(starts) and starts[place] == start else None


def _year_before(at: datetime, query: Query) -> datetime:
    """Return the same local time of the year before: of 28 February for the 29th, of 52 weeks before for weeks."""
    if query.period == "week":
        return at - _52_WEEKS
    is_leap_day = (at.month, at.day) == (2, 29)
    return at.replace(year=at.year - 1, day=28 if is_leap_day else at.day)


def _local(moment: datetime, query: Query) -> datetime:
    return moment if query.time_zone is None else local_time.local(moment, query.time_zone)


def _instant(at: datetime, query: Query) -> datetime:
    return at if query.time_zone is None else local_time.instant(at, query.time_zone)
