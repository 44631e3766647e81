"""Remove links and Markdown from personalisation that a service does not trust.
Source: docs/reference/rendering.md §6, `sanitise_content_for`.

The backslashes appear in the API's `content.body`; rendering the email removes them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html.entities import html5

from notifications.rendering import links, placeholders
from notifications.rendering.characters import without_fillers

# Any run of characters before :// counts as a scheme, because an unknown scheme is not safe.
_SCHEME = re.compile(r"(?<![\w+.-])[\w+.-]++://[^\s<]*+")
_ESCAPED_MARKS = str.maketrans({mark: f"\\{mark}" for mark in r"`*_()\{}[]<>#+-.!|"})
_MARK_AT_LINE_START = re.compile(r"(?:\A|(?<=[\r\n]))(?P<indent>[^\S\r\n]*+)(?P<mark>[\^•=~])")
_NAMED_REFERENCE = re.compile(r"&(?=(?P<name>[A-Za-z][A-Za-z0-9]*+;))")
_HARMLESS_REFERENCES = frozenset("<>&\"'")  # without meaning for the renderer once they are decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitisedRequest:
    """The personalisation of a request after sanitising.

    changed: key as sent → {"unsanitised": …, "sanitised": …}, with whole lists; `sanitised_content` of the response
    """

    personalisation: dict[str, object]
    changed: dict[str, dict[str, object]]


def value(text: str) -> str:
    """Sanitise one string.

    Character references that stand for Markdown are escaped too: decoded after this step, `&lbrack;` would become a
    bracket again. Fillers are deleted first: otherwise the renderer would delete the one between `http:/` and `/`.

    >>> value("# [win](https://bad.example/x) Dr.Hollow")
    '\\\\# \\\\[win\\\\]\\\\( Dr\\\\. Hollow'
    """
    text = _SCHEME.sub("", _without_links(without_fillers(text)))
    text = _NAMED_REFERENCE.sub(_defused, text)
    return _MARK_AT_LINE_START.sub(r"\g<indent>\\\g<mark>", text.translate(_ESCAPED_MARKS))


def without_markdown(text: str) -> str:
    """Escape Markdown and character references, so that an email shows the text as typed.

    >>> without_markdown("# Boats & [nets](https://x.example)")
    '\\\\# Boats &amp; \\\\[nets\\\\]\\\\(https://x\\\\.example\\\\)'
    """
    return _MARK_AT_LINE_START.sub(r"\g<indent>\\\g<mark>", text.replace("&", "&amp;").translate(_ESCAPED_MARKS))


def request(personalisation: Mapping[str, object], names: Sequence[object] | None) -> SanitisedRequest:
    """Sanitise the named values of a request: strings, and the strings in lists.

    names: as sent in `sanitise_content_for`; names without a value and items that are not strings are ignored
    """
    wanted = {placeholders.key(name) for name in names or () if isinstance(name, str)}
    sanitised = {
        name: _any_value(given) if placeholders.key(name) in wanted else given
        for name, given in personalisation.items()
    }
    return SanitisedRequest(
        personalisation=sanitised,
        changed={
            name: {"unsanitised": given, "sanitised": sanitised[name]}
            for name, given in personalisation.items()
            if sanitised[name] != given
        },
    )


def _any_value(given: object) -> object:
    if isinstance(given, str):
        return value(given)
    if isinstance(given, list):
        return [value(item) if isinstance(item, str) else item for item in given]
    return given


def _without_links(text: str) -> str:
    """Delete URLs. If a match looks like a missing space after a full stop, insert the space instead."""
    parts: list[str] = []
    end = 0
    for link in links.find(text):
        parts.append(text[end : link.start])
        if all(character.isalnum() or character in ".-" for character in link.text):
            parts.append(link.text.replace(".", ". "))
        end = link.end
    parts.append(text[end:])
    return "".join(parts)


def _defused(match: re.Match[str]) -> str:
    decoded = html5.get(match["name"], "")
    has_meaning = any(character.isascii() or character == "•" for character in decoded)
    return "&amp;" if has_meaning and decoded not in _HARMLESS_REFERENCES else "&"
