"""Format numbers, money, shares, durations, days and times for people, in the active language and time zone.

Every page and email uses this form. Texts that are stored or printed name the year (`full`, `full_day`).
Source: docs/reference/console.md §1.1.
"""

import math
import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from django.utils import timezone
from django.utils.dateformat import format as formatted
from django.utils.timesince import timesince
from django.utils.translation import gettext, ngettext

_YEARS = range(1800, 2200)
_NAME_OF_A_YEAR = re.compile(r"(?:\A|[^A-Za-z]|(?<=[a-z])(?=Y))(?i:year|blwyddyn)\Z")


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


def of_field(name: str, value: float) -> str:
    """Return a number of a field of records. A year has no comma.

    A whole number from 1800 to 2199 is a year if the last word of the field's name is "year".

    >>> of_field("year", 2024), of_field("birthYear", 1961), of_field("tax year", 2024.0), of_field("year", 48211)
    ('2024', '1961', '2024', '48,211')
    >>> of_field("count", 2024), of_field("years_open", 2024), of_field("midyear", 2024)
    ('2,024', '2,024', '2,024')
    """
    is_year = value in _YEARS and _NAME_OF_A_YEAR.search(name)
    return str(int(value)) if is_year else exact(value)


def money(pounds: float | Decimal) -> str:
    """Return an amount in pounds.

    >>> money(1234.5), money(-0.2)
    ('£1,234.50', '−£0.20')
    """
    return f"{'−' if pounds < 0 else ''}£{abs(pounds):,.2f}"


def percent(share: float) -> str:
    """Return a share in percent, with at most one decimal. A share that is not 0 or 100 is not rounded to these.

    >>> [percent(share) for share in (0, 0.001, 0.25, 3, 12.4, 99.97, 100, 1234)]
    ['0%', 'under 0.1%', '0.3%', '3%', '12%', 'over 99%', '100%', '1,234%']
    """
    if 0 < share < 0.1:
        return gettext("under %(share)s") % {"share": "0.1%"}
    if 99 < share < 100:
        return gettext("over %(share)s") % {"share": "99%"}
    decimals = 1 if abs(share) < 10 else 0
    whole, half_up = 10**decimals, 0.5 + 1e-9  # 0.25 is 0.3
    return f"{exact(math.floor(share * whole + half_up) / whole)}%"


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
    """Return a duration in its two largest units, and a short one with one decimal.

    >>> [duration(length) for length in (0.02, 2.34, 59.6, 60, 3_599, 14_408, 200_000)]
    ['under 0.1 seconds', '2.3 seconds', '1 minute', '1 minute', '59 minutes 59 seconds', '4 hours', '2 days 7 hours']
    """
    if seconds < 0.1:
        return "under 0.1 seconds"
    if seconds < 10:
        return f"{exact(round(seconds, 1))} {'second' if round(seconds, 1) == 1 else 'seconds'}"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "day"), (hours, "hour"), (minutes, "minute"), (rest, "second"))
    first = next(place for place, (number, _) in enumerate(parts) if number)
    return " ".join(counted(*part) for part in parts[first : first + 2] if part[0])


def size(size_bytes: int) -> str:
    """Return a size in bytes, KB or MB; 1 KB is 1,000 bytes.

    >>> size(1), size(999), size(1000), size(999_999), size(1_000_000), size(2_097_151)
    ('1 byte', '999 bytes', '1 KB', '999 KB', '1 MB', '2.1 MB')
    """
    if size_bytes < 1000:
        return ngettext("%(number)s byte", "%(number)s bytes", size_bytes) % {"number": size_bytes}
    if size_bytes < 1_000_000:
        return f"{min(999, round(size_bytes / 1000))} KB"
    return f"{exact(round(size_bytes / 1_000_000, 1))} MB"


def ago(at: datetime) -> str:
    since = timezone.now() - at
    return f"{timesince(at, depth=1)} ago" if since >= timedelta(minutes=1) else "just now"


def month(text: str) -> str:
    """Return a month with its name.

    >>> month("2026-07")
    'July 2026'
    """
    return formatted(date.fromisoformat(f"{text}-01"), "F Y")


def day(on: date) -> str:
    """Return a day, or the local day of a time. The current year is left out."""
    on = _local_day(on)
    return formatted(on, "j F") if on.year == timezone.localdate().year else full_day(on)


def full_day(on: date) -> str:
    """Return a day, or the local day of a time, with its year, for texts that are stored.

    >>> full_day(date(2026, 4, 1))
    '1 April 2026'
    """
    return formatted(_local_day(on), "j F Y")


def axis_day(on: date) -> str:
    """Return a day for the axis of a chart.

    >>> axis_day(date(2026, 11, 15))
    '15 Nov'
    """
    return formatted(on, "j M")


def weekday(on: date) -> str:
    """Return a day with the day of the week.

    >>> weekday(date(2026, 4, 1))
    'Wednesday 1 April 2026'
    """
    return formatted(_local_day(on), "l j F Y")


def heading(on: date) -> str:
    """Return a day, or the local day of a time, for the heading of a part of a list."""
    return _near(_local_day(on)).capitalize() or day(on)


def clock(at: datetime, *, seconds: bool = False) -> str:
    """Return the local time of day.

    >>> clock(datetime(2026, 1, 1, 16, 39, 7, tzinfo=UTC)), clock(datetime(2026, 1, 1, tzinfo=UTC), seconds=True)
    ('4:39pm', '12:00:00am')
    """
    return of_clock(_local(at).time(), seconds=seconds)


def exact_clock(at: datetime) -> str:
    return clock(at, seconds=True)


def of_clock(at: time, *, seconds: bool = False) -> str:
    half = gettext("am") if at.hour < 12 else gettext("pm")
    return f"{at.hour % 12 or 12}:{at:{'%M:%S' if seconds else '%M'}}{half}"


def spoken(at: datetime, *, seconds: bool = False) -> str:
    """Return a time for a column or a sentence: `today at 4:39pm`, `15 November at 4:39pm`."""
    on = _local_day(at)
    return _at(_near(on) or day(on), at, seconds=seconds)


def on(at: datetime) -> str:
    """Return a time for a sentence, such as "It ended …": `today at 4:39pm`, `on 15 November at 4:39pm`."""
    near = _near(_local_day(at))
    return spoken(at) if near else gettext("on %(moment)s") % {"moment": spoken(at)}


def full(at: datetime, *, seconds: bool = False) -> str:
    """Return a time with its year, for texts that are stored.

    >>> full(datetime(2026, 11, 15, 16, 39, tzinfo=UTC))
    '15 November 2026 at 4:39pm'
    """
    return _at(full_day(at), at, seconds=seconds)


def zoned(at: datetime) -> str:
    """Return a time to the second in the local zone, with its name, and in UTC.

    >>> zoned(datetime(2026, 7, 1, 8, 30, tzinfo=UTC))
    '1 July 2026 at 9:30:00am BST (2026-07-01 08:30:00 UTC)'
    """
    return f"{full(at, seconds=True)} {_local(at).tzname()} ({at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC)"


def html_time(at: datetime) -> str:
    """Return a time for the attribute `datetime`. Source: https://html.spec.whatwg.org/#valid-time-string"""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _at(on: str, at: datetime, *, seconds: bool) -> str:
    return gettext("%(day)s at %(time)s") % {"day": on, "time": clock(at, seconds=seconds)}


def _near(on: date) -> str:
    days = (timezone.localdate() - on).days
    return {-1: gettext("tomorrow"), 0: gettext("today"), 1: gettext("yesterday")}.get(days, "")


def _local_day(on: date) -> date:
    return _local(on).date() if isinstance(on, datetime) else on


def _local(at: datetime) -> datetime:
    """Return the local time. The first and last hours of the years 1 to 9999 have none in some zones, so it is UTC."""
    try:
        return timezone.localtime(at)
    except OverflowError:
        return at.astimezone(UTC)
