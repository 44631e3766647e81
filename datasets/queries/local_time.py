"""Local times of a time zone. Source: docs/reference/data-sets.md §11 (time zones).

Each engine adds the offset of the zone to a moment itself. The offsets come from Python's zone data, so that all
engines use the same rules, and the repeated hour of an autumn night stays two hours.
"""

from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from datasets import errors

TIME_PARTS = ("_hour_of_day", "_day_of_week")  # computed fields to group by
MAX_YEARS = 500
_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_NO_ZONES = frozenset({"Factory", "localtime", "posixrules"})


BEGINNING = datetime.min.replace(tzinfo=UTC)


class OffsetChange(NamedTuple):
    """From a moment on, this many seconds are added to a moment."""

    at: datetime
    seconds: int


Shift = tuple[OffsetChange, ...]  # in order of time, the first one at BEGINNING; empty for UTC


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """Return the IANA names that a query can give."""
    return frozenset(available_timezones()) - _NO_ZONES


def local(moment: datetime, zone: str) -> datetime:
    """Return the local time of a moment, labelled as UTC. Raises OverflowError outside the years 1 to 9999."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=UTC)


def instant(start: datetime, zone: str) -> datetime:
    """Return the first moment at or after a local time, which is labelled as UTC. Raises OverflowError.

    >>> instant(datetime(2024, 3, 31, tzinfo=UTC), "Europe/London").isoformat()
    '2024-03-31T00:00:00+00:00'
    """
    found = start.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    if local(found, zone) == start:
        return found
    return offsets(zone, found - _DAY, found)[-1].at  # the clocks skip this local time


def is_skipped(day: datetime, zone: str) -> bool:
    """Return whether the clocks skip a whole local day, as those of Samoa did when it crossed the date line.

    >>> is_skipped(datetime(2011, 12, 30, tzinfo=UTC), "Pacific/Apia")
    True
    """
    return local(instant(day, zone), zone).date() != day.date()


def offsets(zone: str, start_at: datetime, end_at: datetime) -> Shift:
    """Return the offsets of a zone in a range of time. Raises ZoneRangeTooLong."""
    if end_at.year - start_at.year > MAX_YEARS:
        raise errors.ZoneRangeTooLong(limit=MAX_YEARS)
    years = range(start_at.year, end_at.year + 1)
    changes = [change for year in years for change in _changes(zone, year) if start_at < change.at <= end_at]
    return (OffsetChange(BEGINNING, _seconds(start_at, zone)), *changes)


@lru_cache(maxsize=4_096)
def _changes(zone: str, year: int) -> Shift:
    """Return the changes of a year, found by comparing the offsets of its days: Python's zones do not list them."""
    found: list[OffsetChange] = []
    if not MINYEAR < year < MAXYEAR:
        return ()
    day, last = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    while day < last:
        before, after = day, day + _DAY
        if _seconds(before, zone) != _seconds(after, zone):
            found.append(_change(zone, before, after))
        day = after
    return tuple(found)


def _change(zone: str, before: datetime, after: datetime) -> OffsetChange:
    """Return the change between two moments."""
    earlier = _seconds(before, zone)
    while after - before > _SECOND:
        middle = before + (after - before) // _SECOND // 2 * _SECOND
        if _seconds(middle, zone) == earlier:
            before = middle
        else:
            after = middle
    return OffsetChange(after, _seconds(after, zone))


def _seconds(moment: datetime, zone: str) -> int:
    offset = moment.astimezone(ZoneInfo(zone)).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())
