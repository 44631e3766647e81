"""The texts of the recipient's pages for sizes, file types, dates and contacts, in the active language.

Source: docs/reference/files.md §9.
"""

import math
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from django.utils.dateformat import format as formatted
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

_NUMBER = re.compile(r"\A\+?[0-9][0-9 ()-]{4,}\Z")
_EMAIL_ADDRESS = re.compile(r"\A[^\s@]+@[^\s@]+\Z")
_NOT_DIALLED = re.compile(r"[^0-9+]")


class ContactKind(StrEnum):
    WEB = "web"
    EMAIL = "email"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A contact for questions. url: the URL of its link, or an empty string."""

    kind: ContactKind
    text: str
    url: str = ""


def contact(text: str) -> Contact | None:
    """Return the contact of a text: a URL, an email address, a phone number, or plain words.

    >>> contact("help@parks.example").url, contact("020 7946 0000").url
    ('mailto:help@parks.example', 'tel:02079460000')
    >>> contact("javascript:alert(1)").url
    ''
    """
    text = text.strip()
    if text.startswith("https://"):
        return Contact(kind=ContactKind.WEB, text=text, url=text)
    if _EMAIL_ADDRESS.match(text):
        return Contact(kind=ContactKind.EMAIL, text=text, url=f"mailto:{text}")
    if _NUMBER.match(text):
        return Contact(kind=ContactKind.NUMBER, text=text, url=f"tel:{_NOT_DIALLED.sub('', text)}")
    return Contact(kind=ContactKind.TEXT, text=text) if text else None


def size(size_bytes: int) -> str:
    """Return a size in bytes, KB or MB; 1 KB is 1,000 bytes.

    >>> size(999), size(1000), size(999_999), size(1_000_000), size(2_097_151)
    ('999 bytes', '1 KB', '999 KB', '1 MB', '2.1 MB')
    """
    if size_bytes < 1000:
        return ngettext("%(number)s byte", "%(number)s bytes", size_bytes) % {"number": size_bytes}
    if size_bytes < 1_000_000:
        return f"{min(999, round(size_bytes / 1000))} KB"
    megabytes = round(size_bytes / 1_000_000, 1)
    return f"{number_format(megabytes, 0 if megabytes.is_integer() else 1)} MB"


def day(value: date) -> str:
    """Return a day in words.

    >>> day(date(2026, 4, 1))
    'Wednesday 1 April 2026'
    """
    return formatted(value, "l j F Y")


def moment(local: datetime, today: date) -> str:
    """Return a local time, rounded up to the minute. Include the day unless it is today.

    >>> from datetime import UTC
    >>> moment(datetime(2026, 4, 1, 14, 32, 1, tzinfo=UTC), date(2026, 4, 1))
    '2:33pm (UTC)'
    >>> moment(datetime(2026, 4, 2, 0, 5, tzinfo=UTC), date(2026, 4, 1))
    '12:05am (UTC) on Thursday 2 April 2026'
    """
    if local.second or local.microsecond:
        local = local.replace(second=0, microsecond=0) + timedelta(minutes=1)
    half = gettext("am") if local.hour < 12 else gettext("pm")
    time = f"{local.hour % 12 or 12}:{local:%M}{half} ({local.tzname()})"
    return time if local.date() == today else gettext("%(time)s on %(day)s") % {"time": time, "day": day(local.date())}


def seconds_until(later: datetime, now: datetime) -> int:
    """Return the whole seconds to wait, at least one."""
    return max(1, math.ceil((later - now).total_seconds()))
