"""Validate the settings of data sets. The console's forms and `provision` call these functions.

Each function raises InvalidValue; forms show its text beside the field, `provision` after the JSON path.
Source: docs/reference/data-sets.md §1, §4, §17.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlsplit

from config.invalid import InvalidValue
from datasets.licences import LICENCES
from datasets.records import names

RETENTION_DAYS = range(1, 36_501)
MAX_RECORDS = range(1, 1_000_000_001)
EXPECTED_EVERY_SECONDS = range(1, 31_536_001)
MAX_AUTO_IDS = 20
MAX_DESCRIPTION = 2_000
MAX_CONTACT = 254
MAX_UNITS = 200
MAX_UNIT = 40
SCOPES = ("write", "read")

_WORD = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_MAX_WORD_CHARACTERS = 60
_EMAIL = re.compile(r"[^\s@<>\"]+@[^\s@<>\".]+(\.[^\s@<>\".]+)+")
_NOT_IN_URLS = re.compile(r"[\s<>\"\x00-\x1f\x7f]")
_SECRET = re.compile(r"[A-Za-z0-9._~+/=-]{32,128}")


def is_path_part(text: str) -> bool:
    """Return whether the text is a valid group or type: 1 to 60 of `a-z 0-9 - _`, starting with a letter or digit.

    >>> [is_path_part(text) for text in ("pay", "weekly-volumes", "0_", "", "-a", "Pay", "é", "a" * 61)]
    [True, True, True, False, False, False, False, False]
    """
    return _WORD.fullmatch(text) is not None


def parse_path_part(text: str) -> str:
    """Return the stripped group or type. Raises InvalidValue, which names the first wrong character."""
    word = text.strip()
    if is_path_part(word):
        return word
    wrong = re.search(r"[^a-z0-9_-]", word)
    if wrong:
        raise InvalidValue(f"Use only a–z, 0–9, - and _. “{wrong[0]}” is not allowed.")
    if not 1 <= len(word) <= _MAX_WORD_CHARACTERS:
        raise InvalidValue(f"Use 1 to {_MAX_WORD_CHARACTERS} characters, not {len(word)}.")
    raise InvalidValue(f"Start with a letter or digit, not with “{word[0]}”.")


def check_auto_ids(fields: Sequence[str]) -> None:
    """Raise InvalidValue unless an `_id` can be made from these fields."""
    for name in fields:
        if not (name in names.MOMENTS or names.is_field_name(name)):
            raise InvalidValue(f"“{names.shown(name)}” is not a field name.")
        if fields.count(name) > 1:
            raise InvalidValue(f"“{names.shown(name)}” is in the list twice. Enter each field once.")
    if not 1 <= len(fields) <= MAX_AUTO_IDS:
        raise InvalidValue(f"Enter 1 to {MAX_AUTO_IDS} fields, not {len(fields)}.")


def check_retention_days(days: int) -> None:
    if days not in RETENTION_DAYS:
        raise InvalidValue("Records can be kept for 1 to 36,500 days.")


def check_max_records(number: int) -> None:
    if number not in MAX_RECORDS:
        raise InvalidValue("Keep 1 to 1,000,000,000 of the newest records.")


def check_expected_every(seconds: int) -> None:
    if seconds not in EXPECTED_EVERY_SECONDS:
        raise InvalidValue("Choose a time from 1 second to 365 days.")


def parse_description(text: str) -> str:
    """Return the stripped text with plain line ends."""
    text = "\n".join(text.splitlines()).strip()
    if len(text) > MAX_DESCRIPTION:
        raise InvalidValue(f"Enter at most {MAX_DESCRIPTION:,} characters, not {len(text):,}.")
    return text


def check_licence(identifier: str) -> None:
    if identifier and identifier not in LICENCES:
        raise InvalidValue(f"Choose a licence by its SPDX identifier, such as {', '.join([*LICENCES][:4])}.")


def parse_contact(text: str) -> str:
    """Return the stripped email address or URL.

    >>> parse_contact(" data@example.gov.uk "), parse_contact("https://example.gov.uk/help"), parse_contact("")
    ('data@example.gov.uk', 'https://example.gov.uk/help', '')
    """
    text = text.strip()
    if len(text) > MAX_CONTACT:
        raise InvalidValue(f"Enter at most {MAX_CONTACT} characters, not {len(text)}.")
    if not text or _EMAIL.fullmatch(text) or _is_url(text):
        return text
    raise InvalidValue("Enter an email address, or the URL of a page that starts with https://.")


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not _NOT_IN_URLS.search(text)
    except ValueError:
        return False


def check_units(units: Mapping[str, object]) -> None:
    """Raise InvalidValue unless each name is that of a field and each unit a short text of one line."""
    if len(units) > MAX_UNITS:
        raise InvalidValue(f"Enter at most {MAX_UNITS} units, not {len(units)}.")
    for name, unit in units.items():
        if not names.is_field_name(name):
            raise InvalidValue(f"“{names.shown(name)}” is not a field name.")
        if not isinstance(unit, str) or not unit.isprintable() or not 1 <= len(unit.strip()) <= MAX_UNIT:
            raise InvalidValue(f"Enter a unit of 1 to {MAX_UNIT} characters for “{names.shown(name)}”.")


def check_scopes(scopes: Collection[str]) -> None:
    if not scopes or len(set(scopes)) < len(scopes) or not set(scopes) <= set(SCOPES):
        raise InvalidValue("Choose write, read or both. Choose each once.")


def is_secret(text: str) -> bool:
    """Return whether the text can be the token of another system."""
    return _SECRET.fullmatch(text) is not None


def check_secret(text: str) -> None:
    if not is_secret(text):
        raise InvalidValue("Use 32 to 128 of the characters A-Z a-z 0-9 . _ ~ + / = -")
