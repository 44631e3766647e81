"""Format numbers, durations and times for people."""

from datetime import UTC, date, datetime

from django.utils import timezone


def number(value: float) -> str:
    """Return a number with commas between groups of three digits, as English and Welsh readers write it.

    >>> number(48211)
    '48,211'
    """
    return f"{value:,}"


def exact(value: float) -> str:
    """Return a number with all of its digits, and a whole one without a point.

    >>> exact(1_234_567.0), exact(0.1), exact(-12.5), exact(1e300)
    ('1,234,567', '0.1', '-12.5', '1e+300')
    """
    return number(value).removesuffix(".0")


def counted(value: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "record"), counted(0, "record"), counted(2, "entry", "entries")
    ('1 record', '0 records', '2 entries')
    """
    return f"{number(value)} {noun if value == 1 else plural or f'{noun}s'}"


def listed(parts: list[str], word: str) -> str:
    """Return parts as a list in a sentence. word: `and` or `or`

    >>> listed(["day"], "or"), listed(["day", "name", "town"], "or")
    ('day', 'day, name or town')
    """
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


def duration(seconds: float) -> str:
    """Return a duration in its two largest units.

    >>> [duration(length) for length in (0.2, 59.6, 60, 3_599, 14_408, 200_000)]
    ['under 1 s', '60 s', '1 min 0 s', '59 min 59 s', '4 h 0 min', '2 days 7 h']
    """
    if seconds < 1:
        return "under 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{counted(days, 'day')} {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def month(text: str) -> str:
    """Return a month with its name.

    >>> month("2026-07")
    'July 2026'
    """
    return f"{date.fromisoformat(f'{text}-01'):%B %Y}"


def day(at: datetime) -> str:
    """Return the local day of a time, for a heading. The year is left out if it is the current one."""
    on, today = timezone.localdate(at), timezone.localdate()
    if (today - on).days in (0, 1):
        return "Yesterday" if today > on else "Today"
    return f"{on:%-d %B}" if on.year == today.year else f"{on:%-d %B %Y}"


def clock(at: datetime) -> str:
    """Return the local time of day to the second."""
    return f"{timezone.localtime(at):%H:%M:%S %Z}"


def spoken(at: datetime) -> str:
    """Return a time for a sentence, in the format of the template tag `moment`.

    The first and last hours of the years 1 to 9999 have no local time in some zones, so they are in UTC.
    """
    try:
        at = timezone.localtime(at)
    except OverflowError:
        at = at.astimezone(UTC)
    return f"{at:%-d %b %Y, %H:%M %Z}"
