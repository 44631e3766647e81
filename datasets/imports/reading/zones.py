"""Turn local times of a zone into UTC. A time that does not exist, or exists twice, is refused."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from datasets.imports.reading.cells import CellMoment, Unfit


@lru_cache(maxsize=8192)
def in_utc(moment: CellMoment, zone: str) -> datetime:
    """Return the instant in UTC. A date is its first instant in the zone. Raises Unfit.

    >>> from datasets.imports.reading.forms import iso
    >>> in_utc(iso("2024-01-31T09:00"), "Europe/Berlin").isoformat()
    '2024-01-31T08:00:00+00:00'
    """
    if moment.at.tzinfo is not None:
        return moment.at
    if zone == "UTC":
        return moment.at.replace(tzinfo=UTC)
    try:
        return _local(moment.at, ZoneInfo(zone), has_time=moment.has_time)
    except OverflowError as error:
        raise Unfit("is not a real date or time") from error


def _local(at: datetime, zone: ZoneInfo, *, has_time: bool) -> datetime:
    first, second = at.replace(tzinfo=zone, fold=0), at.replace(tzinfo=zone, fold=1)
    before, after = first.utcoffset() or timedelta(), second.utcoffset() or timedelta()
    if before == after:
        return first.astimezone(UTC)
    if not has_time:  # midnight exists twice, or the day begins after it: its first instant is the change itself
        return first.astimezone(UTC)
    if before > after:
        raise Unfit(f"exists twice in {zone.key}, because the clocks were changed")
    raise Unfit(f"does not exist in {zone.key}, because the clocks were changed")


def written(moment: CellMoment, zone: str) -> str:
    """Return the instant in UTC, with the digits of the second as given. Raises Unfit."""
    at = in_utc(moment, zone).replace(tzinfo=None)
    return at.isoformat() + (f".{moment.fraction}" if moment.fraction else "") + "Z"
