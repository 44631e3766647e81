"""The settings of an import: which exist, and which are wrong whatever the file.

Source: docs/reference/imports.md §3.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_type_hints
from zoneinfo import ZoneInfo

import msgspec
import webencodings

from datasets.imports.reading import forms
from datasets.records import names

Json = dict[str, Any]  # Any: JSON
Format = Literal["csv", "xlsx", "ods", "ndjson", "json", "parquet", "mongoexport"]
Empty = Literal["absent", "null", "text"]
Type = Literal["text", "integer", "number", "boolean", "date", "time", "json"]

MAX_COLUMNS = 2_000  # of a file and of the settings; a record may have as many fields
MAX_BYTES = 256 * 1024  # of the settings as JSON
MAX_ROWS = 1_000  # above and below a table
_MAX_WORDS = 100
_MAX_CHARACTERS = 200
_IN_WORDS = {
    "int": "a whole number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_RESERVED = frozenset({"_id", *names.MOMENTS})


class WrongSettings(ValueError):
    """The settings are wrong whatever the file. The message begins with the key."""


class ColumnSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How one column is read. None: not given"""

    to: str | None = None
    type: Type | None = None
    form: str | None = None
    zone: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    empty: Empty | None = None
    null_words: list[str] | None = None
    leave_out: bool | None = None
    unit: str | None = None
    percent: Literal["fraction", "number"] | None = None
    true: list[str] | None = None
    false: list[str] | None = None


class TimestampSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The columns whose texts, with blanks between them, make `_timestamp`, and the form of that text."""

    from_: list[str] = msgspec.field(name="from")
    form: str


class ImportSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a file is read. None: not given"""

    format: Format | None = None
    encoding: str | None = None
    delimiter: str | None = None
    skip_rows: int | None = None
    header_rows: int | None = None
    footer_rows: int | None = None
    sheet: str | None = None
    hidden: Literal["keep", "leave_out"] | None = None
    decimal: str | None = None
    thousands: str | None = None
    zone: str | None = None
    empty: Empty | None = None
    null_words: list[str] | None = None
    columns: dict[str, ColumnSettings] = {}
    other_columns: Literal["keep", "leave_out"] | None = None
    timestamp: TimestampSettings | None = None
    id: list[str] | None = None
    save_as: str | None = None


def parse(given: object, *, is_complete: bool = False) -> ImportSettings:
    """Return the settings of a JSON value. Raises WrongSettings.

    is_complete: they were made by `inspect`, and have no limit of their size
    """
    if not isinstance(given, dict):
        raise WrongSettings("settings: must be an object")
    if not is_complete and len(msgspec.json.encode(given)) > MAX_BYTES:
        raise WrongSettings(f"settings: must be at most {MAX_BYTES} bytes")
    columns = given.get("columns", {})
    if not isinstance(columns, dict):
        raise WrongSettings("columns: must be an object")
    if not is_complete and len(columns) > MAX_COLUMNS:
        raise WrongSettings(f"columns: must be at most {MAX_COLUMNS}")
    parsed = {name: _converted(column, ColumnSettings, f"columns.{name}") for name, column in columns.items()}
    settings: ImportSettings = _converted({**given, "columns": {}}, ImportSettings, "")
    settings = msgspec.structs.replace(settings, columns=parsed)
    for key, message in _wrong(settings):
        raise WrongSettings(f"{key}: {message}")
    return settings


def merged(target: object, patch: object) -> Any:  # Any: JSON
    """Return the JSON merge patch of two values. Source: RFC 7396.

    >>> merged({"a": {"b": 1}, "c": 2}, {"a": {"d": 3}, "c": None})
    {'a': {'b': 1, 'd': 3}}
    """
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def as_json(settings: ImportSettings) -> Json:
    """Return the settings as JSON, without those that are not given."""
    return msgspec.to_builtins(settings)  # type: ignore[no-any-return]  # msgspec cannot know the type


def _converted(value: object, kind: type[Any], key: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        path = path.rstrip("`").lstrip(".")
        field, words = _in_words(message, kind, path)
        where = ".".join(filter(None, [key, path, field])) or "settings"
        raise WrongSettings(f"{where}: {words}") from error


def _in_words(message: str, kind: type[Any], path: str) -> tuple[str, str]:
    """Return the field that a message of msgspec names, or nothing, and what is wrong in words of our own."""
    named = message.partition("`")[2].partition("`")[0]
    if message.startswith("Object contains unknown field"):
        return named, "is unknown"
    if message.startswith("Object missing required field"):
        return named, "is required"
    if message.startswith("Expected"):
        expected = named.partition(" | ")[0]
        return "", f"must be {_IN_WORDS.get(expected, expected)}"
    hints = get_type_hints(kind)
    choices = [one for part in get_args(hints.get(path)) for one in get_args(part)]
    return "", f"must be one of {', '.join(map(str, choices))}" if choices else "has a value that is not allowed"


def _wrong(settings: ImportSettings) -> Iterator[tuple[str, str]]:
    if settings.encoding is not None and webencodings.lookup(settings.encoding) is None:
        yield "encoding", "is not the name of an encoding, such as utf-8 or windows-1252"
    if settings.delimiter is not None and (len(settings.delimiter) != 1 or settings.delimiter in '"\r\n\0'):
        yield "delimiter", "must be one character, and no quotation mark or line end"
    for key in ("skip_rows", "footer_rows"):
        if not 0 <= (getattr(settings, key) or 0) <= MAX_ROWS:
            yield key, f"must be from 0 to {MAX_ROWS}"
    if not 0 <= (settings.header_rows or 0) <= 10:
        yield "header_rows", "must be from 0 to 10"
    yield from _wrong_reading("", settings)
    for name, column in settings.columns.items():
        yield from _wrong_reading(f"columns.{name}.", column, settings)
        yield from _wrong_column(f"columns.{name}.", column)
    if settings.timestamp is not None:
        yield from _wrong_timestamp(settings.timestamp)
    if settings.id is not None and not 0 < len(settings.id) <= 20:
        yield "id", "must name 1 to 20 columns"
    yield from _wrong_targets(settings)
    if settings.save_as is not None and not (0 < len(settings.save_as.strip()) <= 60):
        yield "save_as", "must have 1 to 60 characters"


def _wrong_reading(
    path: str, part: ImportSettings | ColumnSettings, outer: ImportSettings | None = None
) -> Iterator[tuple[str, str]]:
    decimal, thousands = part.decimal, part.thousands
    if decimal is not None and (
        len(decimal) != 1 or not decimal.isprintable() or decimal.isalnum() or decimal in " +-"
    ):
        yield f"{path}decimal", "must be one mark, such as . or ,"
    if thousands and thousands != " " and not _is_mark(thousands):
        yield f"{path}thousands", "must be one mark, such as . or a blank, or an empty text for none"
    if (thousands or (outer and outer.thousands)) and (decimal or thousands):
        own_decimal = decimal or (outer.decimal if outer else None) or "."
        own_thousands = thousands if thousands is not None else (outer.thousands if outer else None)
        if own_decimal == own_thousands:
            yield f"{path}thousands", "must not be the mark of decimal"
    if part.zone is not None and not _is_zone(part.zone):
        yield f"{path}zone", "is not a time zone, such as UTC or Europe/Berlin"
    if part.null_words is not None and len(part.null_words) > _MAX_WORDS:
        yield f"{path}null_words", f"must be at most {_MAX_WORDS}"


def _wrong_column(path: str, column: ColumnSettings) -> Iterator[tuple[str, str]]:
    if column.to is not None and not (names.is_field_name(column.to) or column.to in _RESERVED):
        yield f"{path}to", "is not a valid field name"
    if column.form is not None:
        if column.type not in {None, "date", "time"}:
            yield f"{path}form", "is for the types date and time only"
        if message := forms.wrong(column.form):
            yield f"{path}form", message
    for key in ("unit", "percent"):
        if getattr(column, key) is not None and column.type not in {None, "integer", "number"}:
            yield f"{path}{key}", "is for the types integer and number only"
    if column.unit is not None and not 0 < len(column.unit.strip()) <= _MAX_CHARACTERS:
        yield f"{path}unit", f"must have 1 to {_MAX_CHARACTERS} characters"
    for key in ("true", "false"):
        words = getattr(column, key)
        if words is not None and (column.type not in {None, "boolean"} or not 0 < len(words) <= _MAX_WORDS):
            yield f"{path}{key}", f"must be 1 to {_MAX_WORDS} words of a column of the type boolean"
    if column.true and column.false and {*map(str.casefold, column.true)} & {*map(str.casefold, column.false)}:
        yield f"{path}false", "has a word that is also in true"


def _wrong_timestamp(timestamp: TimestampSettings) -> Iterator[tuple[str, str]]:
    if not 0 < len(timestamp.from_) <= 10:
        yield "timestamp.from", "must name 1 to 10 columns"
    if message := forms.wrong(timestamp.form):
        yield "timestamp.form", message


def _wrong_targets(settings: ImportSettings) -> Iterator[tuple[str, str]]:
    taken: set[str] = {"_timestamp"} if settings.timestamp is not None else set()
    for name, column in settings.columns.items():
        if column.to is None or column.leave_out:
            continue
        if column.to in taken:
            yield f"columns.{name}.to", f"{names.shown(column.to)} is the target of two columns"
        taken.add(column.to)


def _is_mark(text: str) -> bool:
    return len(text) == 1 and text.isprintable() and not text.isalnum() and text not in " +-"


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, a path, or too long
        return False
    return True
