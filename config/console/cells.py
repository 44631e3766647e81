"""Cells of a list: chips, times, and text to copy."""

import re
from datetime import datetime

from django.conf import settings
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from config import formats

_FITS = 24  # characters of an email address that fit into a column
_BREAK = SafeString("<wbr>")
_AFTER_SIGN = re.compile(r"(?<=[@.])")


def chip(text: str, tone: str = "") -> SafeString:
    """Return a small label. tone: good, warn, bad, accent, mono or empty; it adds no information to the text."""
    return format_html('<span class="sb-chip{}">{}</span>', f" sb-chip-{tone}" if tone else "", text)


def chips(texts: list[str], tone: str = "") -> SafeString:
    return SafeString(" ".join(chip(text, tone) for text in texts))


def moment(at: datetime | None, never: str = "–") -> SafeString | str:
    """Return a time in the console's time zone. On hover, it shows the zone's name (trap T12)."""
    return never if at is None else timed(at, formats.spoken(at))


def exact_moment(at: datetime) -> SafeString:
    return timed(at, formats.spoken(at, seconds=True))


def on(at: datetime) -> SafeString:
    """Return a time for a sentence: `today at …` or `on 15 November at …`."""
    return timed(at, formats.on(at))


def timed(at: datetime, shown: str) -> SafeString:
    place = '<time class="sb-moment" datetime="{}" title="{}">{}</time>'
    return format_html(place, formats.html_time(at), formats.zoned(at), shown)


def two_lines(first: str, second: str) -> SafeString:
    """Return a cell with a second line in smaller type."""
    return format_html('<span class="sb-two-lines"><span>{}</span><small>{}</small></span>', first, second)


def named(shown: str, by: str) -> SafeString:
    """Return the text of a link with words for screen readers, which name one of several links like it."""
    return format_html('{}<span class="sb-hidden">, {}</span>', shown, by)


def date_above_time(at: datetime, person: str = "") -> SafeString:
    """Return a time in two lines for narrow columns, with the person who acted."""
    time = formats.clock(at)
    by = format_html("{} by {}", time, breakable(author(person))) if person else time
    return timed(at, two_lines(formats.heading(at), by))


def author(stored: str) -> str:
    """Return the author of a row in words: "provision" for the address that the command of this name stores."""
    return "provision" if stored == settings.PROVISION_AUTHOR else stored


def moment_by(at: datetime | None, person: str) -> SafeString:
    """Return a time, with the person who acted in smaller type below it."""
    return two_lines(moment(at), format_html("by {}", breakable(author(person))) if person else "")


def breakable(text: str, fits: int = _FITS) -> SafeString:
    """Return a long email address with places to break it after "@" and ".".

    >>> breakable("ana@example.org"), breakable("grace.hopper@department.example.org")
    ('ana@example.org', 'grace.<wbr>hopper@<wbr>department.<wbr>example.<wbr>org')
    """
    if len(text) <= fits:
        return conditional_escape(text)
    return format_html_join(_BREAK, "{}", [(part,) for part in _AFTER_SIGN.split(text)])


def code(text: str) -> SafeString:
    return format_html('<code class="sb-chip sb-chip-mono">{}</code>', text)


def copied(text: str, name: str) -> SafeString:
    """Return a text with a button that copies it if scripts run. name: an id that is unique on the page."""
    return format_html(
        '<span class="sb-copied"><code class="sb-chip sb-chip-mono" id="copy-{0}" title="{1}">{1}</code>'
        '<button class="sb-button sb-button-small" type="button" data-copy="copy-{0}" '
        'aria-label="Copy {1}" hidden>Copy</button></span>',
        name,
        text,
    )
