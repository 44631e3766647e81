"""What cells of a list hold besides plain text: chips, moments, text to copy."""

import re
from datetime import UTC, datetime

from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

_FITS = 24  # characters of an address that a column of a list holds
_BREAK = SafeString("<wbr>")
_AFTER_SIGN = re.compile(r"(?<=[@.])")


def chip(text: str, tone: str = "") -> SafeString:
    """Return a small label; tone is good, warn, bad, accent, mono, or nothing. The text says it, the colour helps."""
    return format_html('<span class="sb-chip{}">{}</span>', f" sb-chip-{tone}" if tone else "", text)


def chips(texts: list[str], tone: str = "") -> SafeString:
    return SafeString(" ".join(chip(text, tone) for text in texts))


def moment(at: datetime | None, never: str = "–") -> SafeString | str:
    """Return a time of the console's own zone, with the zone, and UTC on hover (trap T12)."""
    if at is None:
        return never
    utc = f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return format_html('<time class="sb-moment" title="{}">{}</time>', utc, spoken(at))


def two_lines(first: str, second: str) -> SafeString:
    """Return a cell with something smaller below it."""
    return format_html('<span class="sb-two-lines"><span>{}</span><small>{}</small></span>', first, second)


def breakable(text: str) -> SafeString:
    """Return an email address that a column breaks after a sign, not within a word, where it is long.

    >>> breakable("ana@example.org"), breakable("grace.hopper@department.example.org")
    ('ana@example.org', 'grace.<wbr>hopper@<wbr>department.<wbr>example.<wbr>org')
    """
    if len(text) <= _FITS:
        return conditional_escape(text)
    return format_html_join(_BREAK, "{}", [(part,) for part in _AFTER_SIGN.split(text)])


def spoken(at: datetime) -> str:
    """Return a time as a sentence holds it: written as `moment` writes it."""
    return f"{timezone.localtime(at):%-d %b %Y, %H:%M %Z}"


def code(text: str) -> SafeString:
    return format_html('<code class="sb-chip sb-chip-mono">{}</code>', text)


def number(value: float) -> str:
    """Return a number as people read it, such as 48 211; the blanks do not break.

    >>> number(48211).replace(chr(0xA0), "_")
    '48_211'
    """
    return f"{value:,}".replace(",", "\N{NO-BREAK SPACE}")


def counted(value: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "record"), counted(0, "record"), counted(2, "entry", "entries")
    ('1 record', '0 records', '2 entries')
    """
    return f"{number(value)} {noun if value == 1 else plural or f'{noun}s'}"


def duration(seconds: float) -> str:
    """Return how long something took, in the two largest units.

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


def copied(text: str, name: str) -> SafeString:
    """Return a text with a button that copies it, where scripts run. name: of this row's cell, unlike any other's."""
    return format_html(
        '<span class="sb-copied"><code class="sb-chip sb-chip-mono" id="copy-{0}" title="{1}">{1}</code>'
        '<button class="sb-button sb-button-small" type="button" data-copy="copy-{0}" hidden>Copy</button></span>',
        name,
        text,
    )
