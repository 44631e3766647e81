"""SQL expressions for stored records: the JSON text of a field, and the start of a period.

Each value is stored in one spelling (see datasets.records.writing), so SQL can compare, group and count JSON texts and
need not convert numbers of 4,300 digits. Field names are always bound parameters.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import F, Func, QuerySet, TextField

from datasets.models import Record
from datasets.queries import values

# SQLite's date functions round to milliseconds: 23:59:59.9995 would be the next day. So they get whole days only.
_SQLITE_PERIODS = {
    "hour": "substr({at}, 1, 13) || ':00'",
    "day": "substr({at}, 1, 10)",
    "week": "date(substr({at}, 1, 10), '-6 days', 'weekday 1')",
    "month": "substr({at}, 1, 7) || '-01'",
    "quarter": (
        "substr({at}, 1, 5) || CASE WHEN substr({at}, 6, 2) < '04' THEN '01' WHEN substr({at}, 6, 2) < '07' THEN '04'"
        " WHEN substr({at}, 6, 2) < '10' THEN '07' ELSE '10' END || '-01'"
    ),
    "year": "substr({at}, 1, 4) || '-01-01'",
}


class FieldText(Func):
    """The JSON text of one of the caller's own fields, or NULL if the record does not have the field."""

    output_field = TextField()

    def __init__(self, name: str, **extra: Any) -> None:  # Any: Django copies expressions with it
        super().__init__(F("body"), **extra)
        self.name = name

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        body, parameters = compiler.compile(self.source_expressions[0])
        return f'(({body} -> %s::text)::text COLLATE "C")', [*parameters, self.name]

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        body, parameters = compiler.compile(self.source_expressions[0])
        if '"' in self.name or "\\" in self.name:  # SQLite's JSON paths cannot contain these
            return f"signalbox_field({body}, %s)", (*parameters, self.name)
        return f"({body} -> %s)", (*parameters, f'$."{self.name}"')


class PeriodStart(Func):
    """The start in UTC of the period that contains `_timestamp`. `read_start` converts the result."""

    output_field = TextField()

    def __init__(self, period: str, **extra: Any) -> None:
        super().__init__(F("timestamp"), **extra)
        self.period = period

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        at, parameters = compiler.compile(self.source_expressions[0])
        return f"date_trunc(%s, {at} AT TIME ZONE 'UTC')", [self.period, *parameters]

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        at, _ = compiler.compile(self.source_expressions[0])
        return _SQLITE_PERIODS[self.period].format(at=at), ()


def field_names(records: QuerySet[Record]) -> Iterator[str]:
    """Yield the names of the callers' own fields in these records, each at least once."""
    if connection.vendor == "postgresql":
        name = Func("body", function="JSON_OBJECT_KEYS", output_field=TextField())
        yield from records.annotate(name=name).values_list("name", flat=True).distinct()
        return
    for body in records.values_list("body", flat=True).iterator():
        yield from json.loads(body)


def read_start(found: datetime | str) -> datetime:
    moment = found if isinstance(found, datetime) else datetime.fromisoformat(found)
    return moment.replace(tzinfo=UTC)


def read_moment(found: datetime | str | None) -> datetime | None:
    """Convert a moment of a raw query. SQLite returns text."""
    return datetime.fromisoformat(found).replace(tzinfo=UTC) if isinstance(found, str) else found


def prepare() -> None:
    """Register the functions that SQLite does not have on the current connection."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        connection.connection.create_function("signalbox_field", 2, _field, deterministic=True)
        connection.connection.create_function("signalbox_number", 1, _number, deterministic=True)


def _field(body: str, name: str) -> str | None:
    own = json.loads(body)
    return json.dumps(own[name], ensure_ascii=False, separators=(",", ":")) if name in own else None


def _number(text: str) -> int | float | None:
    """Convert a JSON number, because SQLite does not always round doubles correctly."""
    return values.number(json.loads(text))
