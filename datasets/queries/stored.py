"""SQL expressions for stored records: the JSON text of a field, and the start of a period.

Each value is stored in one spelling (see datasets.records.writing), so SQL can compare, group and count JSON texts and
need not convert numbers of 4,300 digits. Field names are always bound parameters.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import F, Func, QuerySet, TextField
from django.db.models.functions import Coalesce

from datasets.models import Record
from datasets.queries import values
from datasets.queries.local_time import TIME_PARTS, Shift
from datasets.records import moments, names

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


_NOT_IN_PATHS = re.compile(r'["\\\x00-\x1f]')  # what SQLite's JSON paths cannot contain


class FieldText(Func):
    """The JSON text of one of the caller's own fields, or NULL if the record does not have the field.

    path: the name of the field, and the names inside nested objects
    """

    output_field = TextField()

    def __init__(self, *path: str, **extra: Any) -> None:  # Any: Django copies expressions with it
        super().__init__(F("body"), **extra)
        self.path = path

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        body, parameters = compiler.compile(self.source_expressions[0])
        found = f"({body}{' -> %s::text' * len(self.path)})"
        return f'({found}::text COLLATE "C")', [*parameters, *self.path]

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        found, parameters = compiler.compile(self.source_expressions[0])
        if any(_NOT_IN_PATHS.search(name) or not name for name in self.path):
            for _ in self.path:
                found = f"signalbox_field({found}, %s)"
            return found, (*parameters, *self.path)
        return f"({found} -> %s)", (*parameters, "$" + "".join(f'."{name}"' for name in self.path))


def field_or_path(name: str) -> Func:
    """Return the JSON text of the field of this name or, if a record does not have it, of the path with dots."""
    path = names.path_of(name)
    return FieldText(name) if path is None else Coalesce(FieldText(name), FieldText(*path))


class PeriodStart(Func):
    """The start of the period that contains `_timestamp`, after `shift` was added. `read_start` converts the result."""

    output_field = TextField()

    def __init__(self, period: str, shift: Shift = (), **extra: Any) -> None:
        super().__init__(LocalText(shift), **extra)
        self.period = period

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        at, parameters = compiler.compile(self.source_expressions[0])
        return f"date_trunc(%s, {at})", [self.period, *parameters]

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        at, parameters = compiler.compile(self.source_expressions[0])
        form = _SQLITE_PERIODS[self.period]
        return form.format(at=at), (*parameters,) * form.count("{at}")


class TimePart(Func):
    """The hour of the day (0 to 23) or the day of the week (Monday is 1) of `_timestamp`, as the text of a number."""

    output_field = TextField()

    def __init__(self, name: str, shift: Shift, **extra: Any) -> None:
        super().__init__(LocalText(shift), **extra)
        self.name = name

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        at, parameters = compiler.compile(self.source_expressions[0])
        part = "HOUR" if self.name == "_hour_of_day" else "ISODOW"
        return f"CAST(CAST(EXTRACT({part} FROM {at}) AS integer) AS text)", [*parameters]

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        at, parameters = compiler.compile(self.source_expressions[0])
        if self.name == "_hour_of_day":
            return f"CAST(CAST(substr({at}, 12, 2) AS integer) AS text)", tuple(parameters)
        sunday_is_0 = f"CAST(strftime('%%w', substr({at}, 1, 10)) AS integer)"
        return f"CAST(({sunday_is_0} + 6) %% 7 + 1 AS text)", tuple(parameters)


class LocalText(Func):
    """`_timestamp` in UTC after `shift` was added: a timestamp on PostgreSQL, a text on SQLite."""

    output_field = TextField()

    def __init__(self, shift: Shift, **extra: Any) -> None:
        super().__init__(F("timestamp"), **extra)
        self.shift = shift

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        at, parameters = compiler.compile(self.source_expressions[0])
        if not self.shift:
            return f"({at} AT TIME ZONE 'UTC')", [*parameters]
        seconds, moments = self._seconds(at, connection)
        return f"({at} AT TIME ZONE 'UTC' + {seconds} * INTERVAL '1 second')", moments

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        at, parameters = compiler.compile(self.source_expressions[0])
        if not self.shift:
            return at, tuple(parameters)
        seconds, moments = self._seconds(at, connection)
        return f"datetime(substr({at}, 1, 19), {seconds} || ' seconds')", tuple(moments)

    def _seconds(self, at: str, connection: Any) -> tuple[str, list[Any]]:
        """Return the SQL of the seconds to add. The changes are in it, so that no engine needs zone data."""
        first, *later = self.shift
        arms = " ".join(f"WHEN {at} >= %s THEN {change.seconds}" for change in reversed(later))
        moments = [connection.ops.adapt_datetimefield_value(change.at) for change in reversed(later)]
        return f"(CASE {arms} ELSE {first.seconds} END)" if later else f"({first.seconds})", moments


def group_text(name: str, shift: Shift) -> Func:
    """Return the JSON text of a value to group by. shift: the offsets of the time zone, for parts of the time"""
    return TimePart(name, shift) if name in TIME_PARTS else field_or_path(name)


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


def written_moment(found: datetime | str | None) -> str | None:
    """Return a moment of a raw query as answers write it. SQLite returns text, or a moment without its zone."""
    moment = datetime.fromisoformat(found) if isinstance(found, str) else found
    return None if moment is None else moments.write(moment)


def prepare() -> None:
    """Register the functions that SQLite does not have on the current connection."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        connection.connection.create_function("signalbox_field", 2, _field, deterministic=True)
        connection.connection.create_function("signalbox_number", 1, _number, deterministic=True)


def _field(text: str | None, name: str) -> str | None:
    own = None if text is None else json.loads(text)
    if not isinstance(own, dict) or name not in own:
        return None
    return json.dumps(own[name], ensure_ascii=False, separators=(",", ":"))


def _number(text: str) -> int | float | None:
    """Convert a JSON number, because SQLite does not always round doubles correctly."""
    return values.number(json.loads(text))
