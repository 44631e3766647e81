"""Check the rows of a table. Source: docs/reference/bulk-sending.md §2."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from notifications.bulk_tables.columns import REFERENCE, TIME_ZONE, UNSUBSCRIBE_URL, Column, TableColumns
from notifications.bulk_tables.tables import Cell
from notifications.recipients.email import EmailAddress, InvalidEmailAddress
from notifications.recipients.outcomes import InvalidPhoneNumber
from notifications.recipients.phone import PhoneNumber
from notifications.rendering import placeholders
from notifications.validation.time_zones import is_time_zone
from notifications.validation.unsubscribe_urls import is_unsubscribe_url

MISSING = "Missing"
NOT_AN_EMAIL_ADDRESS = "Not a valid email address"
NOT_KNOWN = "Not in your team or guest list"
NOT_AN_HTTPS_URL = "Not a valid https URL"
REFERENCE_TOO_LONG = "Must have at most 1000 characters"
NOT_A_TIME_ZONE = "Not a time zone, such as Europe/London"
TOO_LONG = "Message is too long"
EMPTY = "No content for this message"
MAX_REFERENCE_CHARACTERS = 1000
INVALID_RECIPIENT = "invalid recipient"  # in the sentence about all rows


class RowErrorKind(StrEnum):
    """An entry of the answer that reports errors of rows, in the order of the answer."""

    NOT_ALLOWED = "not_allowed"
    TOO_LONG = "too_long"
    ROWS = "rows"


Recipient = PhoneNumber | EmailAddress
Value = str | list[str] | None


class Message(Protocol):
    """A rendered message, as `sms.render` and `email.render` return it."""

    @property
    def is_empty(self) -> bool: ...

    @property
    def is_too_long(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the template and the service ask of a row.

    placeholders: names as the template spells them, in order
    parse: returns the recipient; raises InvalidPhoneNumber or InvalidEmailAddress
    is_known: whether the caller may send to this recipient
    is_simulated: whether a message to this recipient is only checked, not stored or sent
    render: returns the message for the values of a row
    defaults: the values of placeholders that have no column, or a blank cell, by name
    """

    is_email: bool
    placeholders: list[str]
    parse: Callable[[str], Recipient]
    is_known: Callable[[Recipient], bool]
    is_simulated: Callable[[Recipient], bool]
    render: Callable[[Mapping[str, Value]], Message]
    defaults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellError:
    """An error of a row.

    column: as the table spells it; None if the error concerns the whole row
    summary: the text in the sentence about all rows, if it differs from the message
    kind: the entry of the answer that reports the error
    """

    column: str | None
    message: str
    summary: str = ""
    kind: RowErrorKind = RowErrorKind.ROWS


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRow:
    """A row of a table.

    number: as a spreadsheet shows it: the first row below the names is 2
    to: the recipient as written, without invisible characters; None if it is missing
    recipient: None if it is missing or invalid
    is_international: whether the message counts towards the international limit
    is_simulated: whether the message would only be checked
    cells: the row as the table has it
    values: placeholder → its value; None if it is missing
    """

    number: int
    to: str | None
    recipient: Recipient | None
    is_international: bool
    is_simulated: bool
    cells: list[Cell]
    values: Mapping[str, Value]
    reference: str | None
    unsubscribe_url: str | None
    time_zone: str | None
    errors: list[CellError]


def check_row(number: int, cells: list[Cell], columns: TableColumns, rules: Rules) -> CheckedRow:
    """Check one row of a table whose columns have no errors."""
    if columns.recipient is None:
        raise ValueError("a table without a recipient column has no rows to check")
    to = _text(columns.recipient.value(cells))
    values = values_of(cells, columns, rules.defaults)
    special = {name: _text(column.value(cells)) for name, column in columns.special.items()}
    recipient, recipient_errors = _recipient(columns.recipient, to, rules)
    by_column = [
        *((columns.recipient, error) for error in recipient_errors),
        *((column, _missing(column)) for name, column in columns.values.items() if values[name] is None),
        *_special_errors(columns, special),
    ]
    # A placeholder may have the name of the recipient column: its missing value is one error.
    errors = {error: column.places[0] for column, error in by_column}
    whole = [] if any(error.message == MISSING for error in errors) else _content_errors(values, rules)
    return CheckedRow(
        number=number,
        to=to,
        recipient=recipient,
        is_international=_is_international(recipient),
        is_simulated=recipient is not None and rules.is_simulated(recipient),
        cells=cells,
        values=values,
        reference=special.get(REFERENCE),
        unsubscribe_url=special.get(UNSUBSCRIBE_URL),
        time_zone=special.get(TIME_ZONE),
        errors=[*whole, *sorted(errors, key=errors.__getitem__)],
    )


def values_of(cells: list[Cell], columns: TableColumns, defaults: Mapping[str, str]) -> dict[str, Value]:
    """Return the value of each placeholder: of its column, else its default. A blank cell without default is None."""
    values: dict[str, Value] = {name: column.value(cells) for name, column in columns.values.items()}
    by_name = {placeholders.key(name): name for name in values}
    for name, text in defaults.items():
        spelled = by_name.get(placeholders.key(name), name)
        if values.get(spelled) is None:
            values[spelled] = text
    return values


def _recipient(column: Column, to: str | None, rules: Rules) -> tuple[Recipient | None, list[CellError]]:
    if to is None:
        return None, [_missing(column)]
    try:
        recipient = rules.parse(to)
    except InvalidPhoneNumber as error:
        return None, [_invalid(column, error.outcome.ui_message)]
    except InvalidEmailAddress:
        return None, [_invalid(column, NOT_AN_EMAIL_ADDRESS)]
    if isinstance(recipient, PhoneNumber) and recipient.refused is not None:
        return recipient, [_invalid(column, recipient.refused.ui_message)]
    if not rules.is_known(recipient):
        return recipient, [CellError(column=column.name, message=NOT_KNOWN, kind=RowErrorKind.NOT_ALLOWED)]
    return recipient, []


def _special_errors(columns: TableColumns, values: Mapping[str, str | None]) -> Iterator[tuple[Column, CellError]]:
    for name, is_valid, message in (
        (REFERENCE, _is_reference, REFERENCE_TOO_LONG),
        (UNSUBSCRIBE_URL, is_unsubscribe_url, NOT_AN_HTTPS_URL),
        (TIME_ZONE, is_time_zone, NOT_A_TIME_ZONE),
    ):
        value = values.get(name)
        if value is not None and not is_valid(value):
            column = columns.special[name]
            yield column, CellError(column=column.name, message=message)


def _content_errors(values: Mapping[str, Value], rules: Rules) -> list[CellError]:
    message = rules.render(values)
    if message.is_empty:
        return [CellError(column=None, message=EMPTY)]
    if message.is_too_long:
        return [
            CellError(
                column=None, message=TOO_LONG, kind=RowErrorKind.ROWS if rules.is_email else RowErrorKind.TOO_LONG
            )
        ]
    return []


def _is_international(recipient: Recipient | None) -> bool:
    return isinstance(recipient, PhoneNumber) and recipient.is_international and not recipient.crown_dependency


def _missing(column: Column) -> CellError:
    return CellError(column=column.name, message=MISSING)


def _invalid(column: Column, message: str) -> CellError:
    return CellError(column=column.name, message=message, summary=INVALID_RECIPIENT)


def _is_reference(text: str) -> bool:
    return len(text) <= MAX_REFERENCE_CHARACTERS


def _text(value: Value) -> str | None:
    return ", ".join(value) if isinstance(value, list) else value
