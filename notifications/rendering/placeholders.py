"""Find and fill the placeholders of templates: `((name))` and `((name??text))`.
Source: docs/reference/rendering.md §2.

A template is read once, from left to right, so placeholders in values are not filled.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from notifications.rendering import words
from notifications.rendering.characters import without_invisible

# A placeholder contains no brackets, so the possessive quantifier never backtracks and the search stays linear.
PLACEHOLDER = re.compile(r"\(\((?P<inside>[^()]++)\)\)")

YES_VALUES = frozenset({"yes", "y", "true", "t", "1", "include", "show"})
REDACTED = "hidden"
CONDITION = "??"  # only the first one; later ones are part of the text

MOST_FILLED_CHARACTERS = 10_000_000  # of values in one text: five times the longest email

_NAME_NOISE = str.maketrans("", "", " _-")
_CACHED_TEXTS, _MAX_CACHED_CHARACTERS = 512, 4_000  # these bounds keep the cache below a few megabytes


class Lists(Enum):
    """The format of a list: within a sentence (text messages, subjects) or as bullets (email bodies)."""

    IN_SENTENCE = auto()
    AS_BULLETS = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a template for display. The console escapes every piece and highlights some."""

    text: str
    is_highlighted: bool = False


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder of a template. key: of its name; conditional_text: None for a plain placeholder"""

    as_typed: str
    key: str
    conditional_text: str | None


class Keyed(dict[str, object]):
    """Values by the key of their name."""


def key(name: str) -> str:
    """Return the form in which names are compared: lower case, without spaces, underscores and hyphens.

    >>> key("First Name") == key("first_name") == key("FIRST-name")
    True
    """
    return name.translate(_NAME_NOISE).lower()


def keyed(personalisation: Mapping[str, object]) -> Keyed:
    """Return the values by the key of their name. If two names have the same key, the later value is used."""
    if isinstance(personalisation, Keyed):
        return personalisation
    return Keyed({key(name): value for name, value in personalisation.items()})


def find(*texts: str) -> list[str]:
    """Return the names in the order and spelling of their first appearance.

    >>> find("Hello ((name))", "((NAME)), your ((item)) is ((late??late))")
    ['name', 'item', 'late']
    """
    names: dict[str, str] = {}
    for text in texts:
        for match in PLACEHOLDER.finditer(text):
            name = match["inside"].partition(CONDITION)[0]
            names.setdefault(key(name), name)
    return list(names.values())


def keys(*texts: str) -> frozenset[str]:
    """Return the names in the form in which they are compared.

    >>> sorted(keys("Hello ((First name))", "((first_name)) ((item))"))
    ['firstname', 'item']
    """
    return frozenset(map(key, find(*texts)))


def conditions(*texts: str) -> set[str]:
    """Return the keys of the names that only decide whether a conditional text is shown.

    >>> conditions("((late??You are late.)) ((name)) ((Name??Dear reader))")
    {'late'}
    """
    matches = [match["inside"] for text in texts for match in PLACEHOLDER.finditer(text)]
    deciding = {key(inside.partition(CONDITION)[0]) for inside in matches if CONDITION in inside}
    return deciding - {key(inside) for inside in matches if CONDITION not in inside}


def missing(*texts: str, personalisation: Mapping[str, object]) -> list[str]:
    """Return the names without a value, as the template spells them. An empty string is a value, null is not.

    >>> missing("((day)) at ((hour))", personalisation={"Day": "Monday", "hour": None})
    ['hour']
    """
    values = keyed(personalisation)
    return [name for name in find(*texts) if values.get(key(name)) is None]


def with_defaults(personalisation: Mapping[str, object], defaults: Mapping[str, str]) -> Keyed:
    """Return the values, with the default of each name that has no value. An empty string is a value, null is not.

    >>> with_defaults({"Day": None, "hour": ""}, {"day": "Monday", "hour": "noon"})
    {'day': 'Monday', 'hour': ''}
    """
    values = keyed(personalisation)
    return Keyed(values | {key(name): text for name, text in defaults.items() if values.get(key(name)) is None})


def required(*texts: str, optional: Iterable[str]) -> dict[str, str]:
    """Return the names that are not optional, as the text spells them, by the form in which they are compared.

    >>> required("((First name)) ((item))", optional=["ITEM"])
    {'firstname': 'First name'}
    """
    left_out = set(map(key, optional))
    return {normal: name for name in find(*texts) if (normal := key(name)) not in left_out}


def with_comma(text: str) -> list[str]:
    """Return the names that contain a comma. The editor warns of them, because a CSV heading cannot contain them."""
    return [name for name in find(text) if "," in name]


def fill(
    text: str,
    personalisation: Mapping[str, object],
    *,
    lists: Lists = Lists.IN_SENTENCE,
    language: str = words.ENGLISH,
    change: Callable[[str], str] = str,
) -> str:
    """Fill the placeholders with values. A placeholder without a value stays as typed.

    Values beyond MOST_FILLED_CHARACTERS are left out, and the text is then too long for any message: 400,000
    placeholders with a value of 1 MB would take 400 GB before the length is checked.

    personalisation: placeholder name → string, number, boolean, list of these, or object; objects become JSON
    (the object of a file must already be replaced by its download URL)
    language: of the text, for the "and" of a list
    change: applied to each printed value

    >>> fill("Bring ((things)).((late?? You are late.))", {"things": ["rope", "a hook", "bait"], "Late": "no"})
    'Bring rope, a hook and bait.'
    """
    parts = _cached_parts(text) if len(text) <= _MAX_CACHED_CHARACTERS else _parts(text)
    values, room = _Values(personalisation, lists, language), MOST_FILLED_CHARACTERS
    filled: list[str] = []
    for part in parts:
        if isinstance(part, str):
            filled.append(part)
        elif (value := values.of(part)) is None:
            filled.append(part.as_typed)
        else:
            room -= len(value)
            filled.append(change(value) if room >= 0 else "")
    return "".join(filled)


def unfilled(text: str, personalisation: Mapping[str, object], *, redact: bool) -> str:
    """Return a template as plain text with some or no values; `redact` shows missing values as `[hidden]`.

    >>> unfilled("Dear ((name)), berth ((berth))", {"berth": 7}, redact=True)
    'Dear [hidden], berth 7'
    """
    return "".join(
        f"[{REDACTED}]" if redact and piece.is_highlighted else piece.text
        for piece in pieces(text, personalisation, redact=redact)
    )


def pieces(
    text: str,
    personalisation: Mapping[str, object],
    *,
    redact: bool,
    lists: Lists = Lists.IN_SENTENCE,
    language: str = words.ENGLISH,
) -> Iterator[Piece]:
    """Split a template into pieces for display in the console. The page must escape them.

    In a conditional only the part before its text is highlighted, unless it is redacted.
    """
    values = _Values(personalisation, lists, language)
    for part in _parts(text):
        if isinstance(part, str):
            yield Piece(part)
        elif (value := values.of(part)) is not None:
            yield Piece(value)
        elif redact:
            yield Piece(REDACTED, is_highlighted=True)
        elif part.conditional_text is not None:
            yield Piece(part.as_typed.removesuffix(f"{part.conditional_text}))"), is_highlighted=True)
            yield Piece(f"{part.conditional_text}))")
        else:
            yield Piece(part.as_typed, is_highlighted=True)


def _parts(text: str) -> Iterator[str | Placeholder]:
    """Yield the texts and the placeholders of a template in turn, beginning and ending with a text."""
    end = 0
    for match in PLACEHOLDER.finditer(text):
        yield text[end : match.start()]
        end = match.end()
        name, condition, conditional_text = match["inside"].partition(CONDITION)
        yield Placeholder(match[0], key(name), conditional_text if condition else None)
    yield text[end:]


@lru_cache(maxsize=_CACHED_TEXTS)
def _cached_parts(text: str) -> Sequence[str | Placeholder]:
    """Return the parts of a template. Call it only for templates: a filled text contains personal data."""
    return tuple(_parts(text))


class _Values:
    """The values of placeholders as text. Each is printed once: a template may name a long list 400,000 times."""

    def __init__(self, personalisation: Mapping[str, object], lists: Lists, language: str) -> None:
        self._values, self._lists, self._language = keyed(personalisation), lists, language
        self._shown: dict[str, str] = {}
        self._decided: dict[str, bool] = {}

    def of(self, placeholder: Placeholder) -> str | None:
        """Return the text in place of a placeholder, or None if it has no value."""
        normal, conditional_text = placeholder.key, placeholder.conditional_text
        value = self._values.get(normal)
        if value is None:
            return None
        if conditional_text is not None:
            if normal not in self._decided:
                self._decided[normal] = _printed(value).lower() in YES_VALUES
            return conditional_text if self._decided[normal] else ""
        if isinstance(value, str):
            return value
        if normal not in self._shown:
            self._shown[normal] = self._text(value)
        return self._shown[normal]

    def _text(self, value: object) -> str:
        return _list(value, self._lists, self._language) if isinstance(value, list) else _printed(value)


def _printed(value: object) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _list(values: list[object], lists: Lists, language: str) -> str:
    printed = [without_invisible(_printed(value)) for value in values if value is not None]
    items = [item for item in printed if item]
    if not items:
        return ""
    if lists is Lists.AS_BULLETS:
        return "\n\n" + "\n".join(f"* {item}" for item in items)
    return words.sentence(items, language)
