"""What a check has found, in words. The headings are those of GOV.UK Notify.

Source: docs/reference/console.md §3.4.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

from config import formats
from notifications.bulk_tables.check import TableError
from notifications.bulk_tables.columns import TableColumns
from notifications.bulk_tables.rows import (
    EMPTY,
    INVALID_RECIPIENT,
    MISSING,
    NOT_A_TIME_ZONE,
    NOT_AN_HTTPS_URL,
    NOT_KNOWN,
    TOO_LONG,
    CheckedRow,
)
from notifications.models import Channel, Service, Template

NO_ROWS, COLUMN_NAMES, TOO_MANY = (
    "Your file is missing some rows",
    "There's a problem with your column names",
    "Too many recipients",
)
HEADINGS = {
    "no_rows": NO_ROWS,
    "too_many_columns": COLUMN_NAMES,
    "missing_columns": COLUMN_NAMES,
    "duplicate_recipient_columns": COLUMN_NAMES,
    "daily_limit": TOO_MANY,
    "international_limit": TOO_MANY,
    "too_many_rows": TOO_MANY,
}
NOUNS = {Channel.EMAIL: ("email address", "email addresses"), Channel.SMS: ("phone number", "phone numbers")}


@dataclass(slots=True, kw_only=True)
class Counts:
    """Numbers so far. A check adds each row.

    repeated: recipients that occur more than once; suppressed: rows with a suppressed recipient
    recipient, missing, …: rows with an error of this kind
    """

    rows: int = 0
    with_errors: int = 0
    international: int = 0
    simulated: int = 0
    repeated: int = 0
    suppressed: int = 0
    recipient: int = 0
    missing: int = 0
    too_long: int = 0
    empty: int = 0
    unsubscribe_url: int = 0
    time_zone: int = 0
    not_allowed: int = 0

    @classmethod
    def of(cls, check_result: dict[str, Any]) -> Self:
        """Return the counts of a check so far. check_result: see `BulkSend`"""
        return cls(**check_result.get("counts", {}))

    @property
    def good(self) -> int:
        return self.rows - self.with_errors

    def add(self, row: CheckedRow, *, is_second: bool) -> None:
        """Count a row. is_second: whether one earlier row has the same recipient"""
        self.rows += 1
        self.international += row.is_international
        self.simulated += row.is_simulated
        self.repeated += is_second
        if not row.errors:
            return
        messages = {error.message for error in row.errors}
        self.with_errors += 1
        self.recipient += any(error.summary == INVALID_RECIPIENT for error in row.errors)
        self.missing += MISSING in messages
        self.too_long += TOO_LONG in messages
        self.empty += EMPTY in messages
        self.unsubscribe_url += NOT_AN_HTTPS_URL in messages
        self.time_zone += NOT_A_TIME_ZONE in messages
        self.not_allowed += NOT_KNOWN in messages

    def stored(self) -> dict[str, int]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableNotice:
    """One heading, and what to do about it."""

    heading: str
    sentences: list[str]


def of_columns(columns: TableColumns, recipient: str) -> list[TableNotice]:
    """Return the errors of the column names, for the page on which a person can choose others."""
    found = []
    if columns.missing:
        names = formats.listed([f"“{name}”" for name in columns.missing], "or")
        found.append(f"No column has the name {names}. Choose a column below, or correct your table.")
    if columns.duplicate_recipient:
        names = formats.listed([f"“{name}”" for name in columns.duplicate_recipient], "and")
        found.append(f"Several columns have the name “{recipient}”: {names}. Choose one below, or correct your table.")
    return [TableNotice(heading=COLUMN_NAMES, sentences=found)] if found else []


def of_table(errors: Iterable[TableError | dict[str, str]], counts: Counts, channel: Channel) -> list[TableNotice]:
    """Return the errors of a table: of its columns and size, then of its rows."""
    sentences: dict[str, list[str]] = {}
    for error in errors:
        kind, message = (error["kind"], error["message"]) if isinstance(error, dict) else (error.kind, error.message)
        if kind in HEADINGS:
            sentences.setdefault(HEADINGS[kind], []).append(message if message.endswith(".") else f"{message}.")
    found = [TableNotice(heading=heading, sentences=said) for heading, said in sentences.items()]
    return [*found, *_of_rows(counts, channel)]


def _of_rows(counts: Counts, channel: Channel) -> Iterator[TableNotice]:
    things = [
        (counts.recipient, f"fix {formats.counted(counts.recipient, *NOUNS[channel])}"),
        (counts.missing, f"enter missing data in {_rows(counts.missing)}"),
        (counts.too_long, f"shorten the message in {_rows(counts.too_long)}"),
        (counts.empty, f"check the empty message in {_rows(counts.empty)}"),
        (counts.unsubscribe_url, f"fix the unsubscribe URL in {_rows(counts.unsubscribe_url)}"),
        (counts.time_zone, f"fix the time zone in {_rows(counts.time_zone)}"),
    ]
    asked = [text for number, text in things if number]
    if asked:
        yield TableNotice(heading=f"You need to {formats.listed(asked, 'and')}", sentences=[])
    if counts.not_allowed:
        yield TableNotice(
            heading=f"You cannot send to {formats.counted(counts.not_allowed, *NOUNS[channel])}",
            sentences=["This service is in trial. It can send only to its team and its guest list."],
        )


def _rows(number: int) -> str:
    return formats.counted(number, "row")


def fingerprint(template: Template, service: Service) -> str:
    """Return a hash of what a check depends on besides the table. If it changes, the table needs a new check."""
    parts = [
        *(template.current_version, template.archived_at is not None),
        *(service.name, service.active, service.live, sorted(service.permissions), service.prefix_sms),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
