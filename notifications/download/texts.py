"""The texts of the recipient's pages for sizes, file types, dates and contacts, in the active language.

Source: docs/reference/files.md §9.
"""

import math
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from django.utils.translation import gettext

from config import formats

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
    time = f"{formats.of_clock(local.time())} ({local.tzname()})"
    day = formats.weekday(local.date())
    return time if local.date() == today else gettext("%(time)s on %(day)s") % {"time": time, "day": day}


def seconds_until(later: datetime, now: datetime) -> int:
    """Return the whole seconds to wait, at least one."""
    return max(1, math.ceil((later - now).total_seconds()))
