"""Placeholders of templates, `((name))` and `((name??text))`, and the values that fill them.
Source: docs/reference/rendering.md §2.

Values are never searched for placeholders: a template is read once, from left to right.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from notifications.rendering.characters import without_invisible

# Brackets cannot stand inside, so the possessive run never has to be given back: linear in the text.
PLACEHOLDER = re.compile(r"\(\((?P<inside>[^()]++)\)\)")

YES_VALUES = frozenset({"yes", "y", "true", "t", "1", "include", "show"})
HIDDEN = "hidden"
CONDITION = "??"  # the first one; later ones belong to the text

_NAME_NOISE = str.maketrans("", "", " _-")


class Lists(Enum):
    """How a list prints: within a sentence (text messages, subjects), or as bullets (email bodies)."""

    IN_SENTENCE = auto()
    AS_BULLETS = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of an unfilled view; the console highlights some and escapes all."""

    text: str
    is_highlighted: bool = False


def key(name: str) -> str:
    """Return what two spellings of one name have in common: no spaces, underscores, hyphens or capitals.

    >>> key("First Name") == key("first_name") == key("FIRST-name")
    True
    """
    return name.translate(_NAME_NOISE).lower()


def keyed(personalisation: Mapping[str, object]) -> dict[str, object]:
    """Return the values by the key of their name; of two equal ones the later wins."""
    return {key(name): value for name, value in personalisation.items()}


def find(*texts: str) -> list[str]:
    """List the names in the order they first appear, in the spelling they first appear in.

    >>> find("Hello ((name))", "((NAME)), your ((item)) is ((late??late))")
    ['name', 'item', 'late']
    """
    names: dict[str, str] = {}
    for text in texts:
        for match in PLACEHOLDER.finditer(text):
            name = match["inside"].partition(CONDITION)[0]
            names.setdefault(key(name), name)
    return list(names.values())


def conditions(*texts: str) -> set[str]:
    """Return the keys of the names that only decide whether a text is shown.

    >>> conditions("((late??You are late.)) ((name)) ((Name??Dear reader))")
    {'late'}
    """
    matches = [match["inside"] for text in texts for match in PLACEHOLDER.finditer(text)]
    deciding = {key(inside.partition(CONDITION)[0]) for inside in matches if CONDITION in inside}
    return deciding - {key(inside) for inside in matches if CONDITION not in inside}


def missing(*texts: str, personalisation: Mapping[str, object]) -> list[str]:
    """List the names without a value, as the template spells them; null is no value, an empty string is one.

    >>> missing("((day)) at ((hour))", personalisation={"Day": "Monday", "hour": None})
    ['hour']
    """
    values = keyed(personalisation)
    return [name for name in find(*texts) if values.get(key(name)) is None]


def with_comma(text: str) -> list[str]:
    """List the names with a comma in them, which the editor warns of: a CSV file could not head them."""
    return [name for name in find(text) if "," in name]


def fill(text: str, personalisation: Mapping[str, object], *, lists: Lists = Lists.IN_SENTENCE) -> str:
    """Put the values in place; a placeholder without a value stays as typed.

    personalisation: placeholder name → string, number, boolean, list of them, or object; objects print as JSON
    (the download address of a file has replaced its object before)

    >>> fill("Bring ((things)).((late?? You are late.))", {"things": ["rope", "a hook", "bait"], "Late": "no"})
    'Bring rope, a hook and bait.'
    """
    values = keyed(personalisation)

    def put(match: re.Match[str]) -> str:
        value = _value(match["inside"], values, lists)
        return match[0] if value is None else value

    return PLACEHOLDER.sub(put, text)


def unfilled(text: str, personalisation: Mapping[str, object], *, redact: bool) -> str:
    """Return the plain view of a template with some or no values; with redact what is missing shows as `[hidden]`.

    >>> unfilled("Dear ((name)), berth ((berth))", {"berth": 7}, redact=True)
    'Dear [hidden], berth 7'
    """
    return "".join(
        f"[{HIDDEN}]" if redact and piece.is_highlighted else piece.text
        for piece in pieces(text, personalisation, redact=redact)
    )


def pieces(
    text: str, personalisation: Mapping[str, object], *, redact: bool, lists: Lists = Lists.IN_SENTENCE
) -> Iterator[Piece]:
    """Split a template for the console's view; escaping is up to the page.

    Of a conditional only the part before its text is highlighted, unless it is redacted.
    """
    values = keyed(personalisation)
    end = 0
    for match in PLACEHOLDER.finditer(text):
        yield Piece(text[end : match.start()])
        end = match.end()
        name, condition, conditional_text = match["inside"].partition(CONDITION)
        value = _value(match["inside"], values, lists)
        if value is not None:
            yield Piece(value)
        elif redact:
            yield Piece(HIDDEN, is_highlighted=True)
        elif condition:
            yield Piece(f"(({name}{condition}", is_highlighted=True)
            yield Piece(f"{conditional_text}))")
        else:
            yield Piece(match[0], is_highlighted=True)
    yield Piece(text[end:])


def _value(inside: str, values: Mapping[str, object], lists: Lists) -> str | None:
    name, condition, conditional_text = inside.partition(CONDITION)
    value = values.get(key(name))
    if value is None:
        return None
    if condition:
        return conditional_text if _printed(value).lower() in YES_VALUES else ""
    return _list(value, lists) if isinstance(value, list) else _printed(value)


def _printed(value: object) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _list(values: list[object], lists: Lists) -> str:
    printed = [without_invisible(_printed(value)) for value in values if value is not None]
    items = [item for item in printed if item]
    if not items:
        return ""
    if lists is Lists.AS_BULLETS:
        return "\n\n" + "\n".join(f"* {item}" for item in items)
    *others, last = items
    return f"{', '.join(others)} and {last}" if others else last
