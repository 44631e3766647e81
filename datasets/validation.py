"""Validate the settings of data sets. The console's forms and `provision` call these functions.

Each function raises InvalidValue; forms show its text beside the field, `provision` after the JSON path.
Source: docs/reference/data-sets.md §1, §4, §17.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import time
from urllib.parse import urlsplit

from config.invalid import InvalidValue
from config.statistics import GROUP
from datasets.errors import MAX_REASON
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
GRACE_MINUTES = range(7 * 24 * 60 + 1)  # of alarms
INTERVAL_MINUTES = range(1, 7 * 24 * 60 + 1)
MAX_ALARMS = 100  # of one data set that people write to
MAX_PEOPLE = 20  # email addresses and phone numbers of one alarm each
MAX_ALARM_NAME, MAX_ALARM_MESSAGE = 100, 1_000
_TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_SHARE_HOURS = range(1, 169)
_MAX_SHARE_FIELDS, _MAX_SHARE_VALUES = 5, 50

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


def parse_group_name(text: str) -> str:
    """Return the stripped name of a group that people may use. Raises InvalidValue."""
    group = parse_path_part(text)
    if group == GROUP:
        raise InvalidValue(f"The group {GROUP} is for the statistics of Signalbox. Choose another name.")
    return group


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


def parse_reason(text: str) -> str:
    """Return the stripped reason for a change of a record. Raises InvalidValue."""
    reason = text.strip()
    if len(reason) > MAX_REASON:
        raise InvalidValue(f"Enter at most {MAX_REASON} characters, not {len(reason)}.")
    if not reason.isprintable():
        raise InvalidValue("Enter the reason on one line, without control characters.")
    return reason


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


def parse_alarm_name(text: str) -> str:
    name = text.strip()
    if not 1 <= len(name) <= MAX_ALARM_NAME or not name.isprintable():
        raise InvalidValue(f"Use 1 to {MAX_ALARM_NAME} characters without line ends.")
    return name


def check_alarm_message(text: str) -> None:
    if not 1 <= len(text.strip()) <= len(text) <= MAX_ALARM_MESSAGE:
        raise InvalidValue(f"Use 1 to {MAX_ALARM_MESSAGE} characters.")


def parse_time(text: str) -> time:
    """Return a time of day.

    >>> parse_time("22:00")
    datetime.time(22, 0)
    """
    if not _TIME_OF_DAY.fullmatch(text):
        raise InvalidValue("Write a time such as 22:00.")
    return time.fromisoformat(text)


def check_quiet_hours(begin: time | None, end: time | None) -> None:
    """Raise InvalidValue if they would last the whole day: no message would ever be sent."""
    if begin is not None and begin == end:
        raise InvalidValue("Enter another time than the one at which the quiet hours begin.")


def check_grace(minutes: int) -> None:
    if minutes not in GRACE_MINUTES:
        raise InvalidValue("Choose a time from 0 minutes to 7 days.")


def check_interval(minutes: int) -> None:
    if minutes not in INTERVAL_MINUTES:
        raise InvalidValue("Choose a time from 1 minute to 7 days.")


def check_share(share: object) -> None:
    """Raise InvalidValue unless this describes a share.

    `{"value": "count", "part": {"status": ["delivered"]}, "whole": {"service_id": ["…"]}, "hours": 1, "at_least": 20}`:
    the sum of the field `value` over the records of the last hours that have one of these values in every field of
    `whole` and `part`, divided by the sum over those of `whole`. A sum below `at_least` has no share.
    """
    names = {"value": str, "part": dict, "whole": dict, "hours": int, "at_least": int}
    if not isinstance(share, dict) or share.keys() != names.keys():
        raise InvalidValue(f"Give {', '.join(names)}.")
    for name, kind in names.items():
        if not isinstance(share[name], kind) or isinstance(share[name], bool):
            raise InvalidValue(f"{name} has the wrong type.")
    if share["hours"] not in _SHARE_HOURS:
        raise InvalidValue("Choose 1 to 168 hours.")
    if share["at_least"] < 1:
        raise InvalidValue("at_least must be 1 or more.")
    if not share["part"]:
        raise InvalidValue("part must name a field.")
    for conditions in (share["part"], share["whole"]):
        if len(conditions) > _MAX_SHARE_FIELDS:
            raise InvalidValue(f"Name at most {_MAX_SHARE_FIELDS} fields.")
        for values in conditions.values():
            is_list = isinstance(values, list) and 1 <= len(values) <= _MAX_SHARE_VALUES
            if not is_list or not all(isinstance(value, str | int | float | bool) for value in values):
                raise InvalidValue(f"Give 1 to {_MAX_SHARE_VALUES} values for each field.")
