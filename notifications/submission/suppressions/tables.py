"""Read a table of recipients to suppress. Source: docs/reference/suppressions.md §4."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from django.utils import timezone

from config.invalid import InvalidValue
from notifications.bulk_tables.columns import EMAIL_ADDRESS, PHONE_NUMBER
from notifications.bulk_tables.tables import NAMES_ROW, Cell, Table, clean
from notifications.models.suppression import MAX_NOTE_CHARACTERS
from notifications.recipients.email import EmailAddress
from notifications.recipients.phone import PhoneNumber
from notifications.rendering.placeholders import key
from notifications.submission.suppressions.listing import MAX_ROWS, end_of_day, parse_recipient

RECIPIENTS = ("recipient", EMAIL_ADDRESS, PHONE_NUMBER)
REASONS, LAST_DAYS = ("reason", "note"), ("last day", "until")
MAX_ERRORS = 20  # listed on the page

NO_COLUMN = "The table has no column “recipient”, “email address” or “phone number”."
NO_ROWS = "The table has no row below the column names."
TOO_MANY = f"The table has more than {MAX_ROWS:,} rows. Divide it."
MISSING = "Missing recipient"
NOTE_TOO_LONG = f"The reason has more than {MAX_NOTE_CHARACTERS} characters"
NOT_A_DAY = "The last day must be a date in the form 2026-04-01, today or later"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    recipient: PhoneNumber | EmailAddress
    note: str
    expires_at: datetime | None


@dataclass(slots=True, kw_only=True)
class CheckedTable:
    """A checked table. errors: pairs of a row, as a spreadsheet shows it, and what is wrong with it"""

    rows: list[TableRow] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    with_errors: int = 0


def is_recipient_column(name: str) -> bool:
    return key(name) in map(key, RECIPIENTS)


def check(table: Table) -> CheckedTable:
    """Check all rows. Raises InvalidValue if the table as a whole is wrong, and Unreadable."""
    places = {key(name): place for place, name in reversed(list(enumerate(table.names)))}
    if not any(map(is_recipient_column, table.names)):
        raise InvalidValue(NO_COLUMN)
    found = CheckedTable()
    for number, cells in enumerate(table.rows, NAMES_ROW + 1):
        if number - NAMES_ROW > MAX_ROWS:
            raise InvalidValue(TOO_MANY)
        try:
            found.rows.append(_row(cells, places))
        except InvalidValue as error:
            found.with_errors += 1
            if found.with_errors <= MAX_ERRORS:
                found.errors.append((number, str(error)))
    if not found.rows and not found.with_errors:
        raise InvalidValue(NO_ROWS)
    return found


def _row(cells: list[Cell], places: Mapping[str, int]) -> TableRow:
    recipient = next(_texts(cells, places, RECIPIENTS), "")
    if not recipient:
        raise InvalidValue(MISSING)
    note = next(_texts(cells, places, REASONS), "")
    if len(note) > MAX_NOTE_CHARACTERS:
        raise InvalidValue(NOTE_TOO_LONG)
    last_day = next(_texts(cells, places, LAST_DAYS), "")
    return TableRow(recipient=parse_recipient(recipient), note=note, expires_at=_end(last_day) if last_day else None)


def _texts(cells: list[Cell], places: Mapping[str, int], names: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts in the columns of these names."""
    for name in names:
        place = places.get(key(name))
        cell = clean(cells[place]) if place is not None and place < len(cells) else None
        if cell:
            yield ", ".join(cell) if isinstance(cell, list) else cell


def _end(text: str) -> datetime:
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise InvalidValue(NOT_A_DAY) from error
    if day < timezone.localdate():
        raise InvalidValue(NOT_A_DAY)
    return end_of_day(day)
