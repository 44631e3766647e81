"""The date filter's value: `today`, `week`, or two days such as `2026-11-01..2026-11-20`."""

from datetime import date, datetime, time, timedelta

from django.utils import timezone

from config import formats

PARAMETER = "made"
WEEK_DAYS = 7
_TO = ".."  # separates the first and the last day; either may be missing


def chosen(value: str) -> tuple[date | None, date | None]:
    """Return the first and the last day of a parameter's value. An invalid day is None.

    >>> chosen("2026-11-01..2026-11-20")
    (datetime.date(2026, 11, 1), datetime.date(2026, 11, 20))
    >>> chosen("..tomorrow")
    (None, None)
    """
    if value in {"today", "week"}:
        return first_of_last(WEEK_DAYS if value == "week" else 1), None
    first, _, last = value.partition(_TO)
    return _day(first), _day(last)


def span(first: str, last: str) -> str:
    """Return the parameter's value for the input of two date fields."""
    typed = [day.isoformat() if day else "" for day in (_day(first), _day(last))]
    return _TO.join(typed) if any(typed) else ""


def in_words(value: str) -> str:
    """Return a parameter's value in words.

    >>> in_words("2026-11-01..2026-11-20"), in_words("2026-11-01.."), in_words("..2026-11-01")
    ('1 November 2026 to 20 November 2026', 'from 1 November 2026', 'until 1 November 2026')
    """
    first, last = (formats.full_day(day) if day else "" for day in chosen(value))
    if first and last:
        return first if first == last else f"{first} to {last}"
    return f"from {first}" if first else f"until {last}"


def first_of_last(days: int) -> date:
    """Return the first day of a period of `days` days that ends today."""
    return timezone.localdate() - timedelta(days=days - 1)


def beginning(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if date(2000, 1, 1) <= day < date(3000, 1, 1) else None  # callers add one day, which must be valid too
