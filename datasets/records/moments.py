"""Parse and write moments, and find the periods that contain them.

Source: docs/reference/data-sets.md §6.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_FORM = re.compile(
    r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"|[0-9]{8}T[0-9]{4}(?:[0-9]{2}(?:\.[0-9]+)?)?)"
    r"(?:Z|[+-][0-9]{2}(?::?(?P<offset_minutes>[0-9]{2}))?)?"
)
# The usual form. `parse` handles all others, and the hour 24.
_USUAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:Z|\+00:00)")
_TO_THE_SECOND = len("2024-01-01T00:00:00")


class NotAMoment(ValueError):
    """The text is not an ISO 8601 date-time."""

    message = "must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z"


class ImpossibleMoment(NotAMoment):
    """The text has the form, but is not a moment in the years 0001 to 9999 of UTC."""

    message = "is not a real date and time"


@lru_cache(maxsize=4096)  # records of one batch share moments; a hit takes a tenth of the time
def parse(text: str) -> datetime:
    """Return the instant in UTC. Drop fraction digits after the sixth. The default zone is UTC.

    Raises NotAMoment, ImpossibleMoment.

    >>> parse("20240101T013000.5+0100").isoformat()
    '2024-01-01T00:30:00.500000+00:00'
    """
    form = _FORM.fullmatch(text)
    if form is None:
        raise NotAMoment(text)
    try:
        moment = datetime.fromisoformat(text)
        if form["offset_minutes"] and form["offset_minutes"] > "59":  # Python would add them to the hours
            raise ImpossibleMoment(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ImpossibleMoment(text) from error


@lru_cache(maxsize=1024)  # all records of a batch have one update time
def write(moment: datetime) -> str:
    """Return the moment in the format of answers.

    >>> write(parse("2024-01-01T00:00")), write(parse("2024-01-01T00:00:00.5Z"))
    ('2024-01-01T00:00:00Z', '2024-01-01T00:00:00.500000Z')
    """
    return moment.replace(tzinfo=None).isoformat() + "Z"


def in_utc(text: str) -> str:
    """Return `write(parse(text))`, in a third of the time for the usual form.

    Raises NotAMoment, ImpossibleMoment.

    >>> in_utc("2024-01-01T00:00:00+00:00"), in_utc("20240101T0100+01")
    ('2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z')
    """
    if _USUAL.fullmatch(text) is None:
        return write(parse(text))
    try:
        datetime.fromisoformat(text)
    except ValueError as error:
        raise ImpossibleMoment(text) from error
    return f"{text[:_TO_THE_SECOND]}Z"


def period_starts(moment: datetime) -> dict[str, datetime]:
    """Return the start in UTC of each period that contains the moment. Weeks start on Monday.

    >>> {period: write(start) for period, start in period_starts(parse("2023-01-01T13:45Z")).items()}["week"]
    '2022-12-26T00:00:00Z'
    """
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return {
        "hour": moment.replace(minute=0, second=0, microsecond=0),
        "day": day,
        "week": day - timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "quarter": day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
        "year": day.replace(month=1, day=1),
    }
