"""Write the export of a person as JSON or CSV, a row at a time. Source: docs/reference/erasing.md §2."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from config.spreadsheets import csv_line
from notifications.one_person.kinds import KINDS
from notifications.one_person.person import Person
from notifications.one_person.personal_rows import Record

# Columns of the CSV file → the names of the values in them. All other values of a row are in the last column.
_COLUMNS: dict[str, Sequence[str]] = {
    "Date (UTC)": ("created_at", "received_at"),
    "Service id": ("service_id",),
    "Id": ("id",),
    "Recipient": ("recipient", "user_number", "sender", "to", "value"),
    "Status": ("status", "state"),
    "Reference": ("reference",),
    "Subject": ("subject", "name"),
    "Text": ("body", "content", "text"),
}


class Format(StrEnum):
    JSON = "json"
    CSV = "csv"

    @property
    def content_type(self) -> str:
        return "application/json" if self is Format.JSON else "text/csv; charset=utf-8"


def lines(person: Person, form: Format) -> Iterator[bytes]:
    """Yield the file in pieces."""
    return (piece.encode() for piece in (_json(person) if form is Format.JSON else _csv(person)))


def _json(person: Person) -> Iterator[str]:
    head = {
        "recipient": person.recipient.as_given,
        "service": person.service.name if person.service else None,
        "exported_at": timezone.now(),
    }
    yield _dumped(head)[:-1]
    for kind in KINDS:
        yield f",\n{json.dumps(kind.name)}:["
        for number, record in enumerate(kind.records(person)):
            yield (",\n" if number else "\n") + _dumped(record)
        yield "]"
    yield "}\n"


def _csv(person: Person) -> Iterator[str]:
    yield csv_line(["Kind", *_COLUMNS, "Details"])
    rows = chain.from_iterable(((kind.title, record) for record in kind.records(person)) for kind in KINDS)
    for title, record in rows:
        yield csv_line([title, *_cells(record)])


def _cells(record: Record) -> Iterator[str]:
    rest = {name: value for name, value in record.items() if value not in (None, "", [], {})}
    for names in _COLUMNS.values():
        name = next((name for name in names if name in rest), None)
        yield _text(rest.pop(name)) if name else ""
    yield _dumped(rest) if rest else ""


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return value if isinstance(value, str) else _dumped(value).strip('"')


def _dumped(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
