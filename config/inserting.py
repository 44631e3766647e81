"""INSERT of one row with SQL made once, alone or only together with a conditional UPDATE.

The ORM goes through every field and expression of a row to say the same statement again: that took as long as
everything from the token to the answer's text. PostgreSQL keeps this one prepared, where the connection may.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import DatabaseDefault

_PLAIN = frozenset({type(None), str, int, bool})  # handed on by every field as they are

_statements: dict[tuple[str, type[models.Model], tuple[bool, ...], str], str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """An UPDATE of one row, and its parameters as the database takes them."""

    update: str
    parameters: Sequence[Any]  # Any: values of columns


def insert(row: models.Model, *, condition: Condition | None = None) -> bool:
    """Store a new row, as `row.save(force_insert=True)` does; signals are not sent, and nothing is read back.

    For models whose key is not made by the database. Values of text and number fields have to be of their type.
    With a condition: store it and change that row, or do neither and return False. On PostgreSQL that is one statement,
    and outside of a transaction needs no other.
    """
    connection = connections[DEFAULT_DB_ALIAS]  # `django.db.connection` looks it up anew for each of its attributes
    fields = row._meta.local_concrete_fields
    values = [field.pre_save(row, add=True) for field in fields]
    is_default = tuple([isinstance(value, DatabaseDefault) for value in values])
    parameters = [
        value if type(value) in _PLAIN else field.get_db_prep_save(value, connection)
        for field, value in zip(fields, values, strict=True)
        if not isinstance(value, DatabaseDefault)
    ]
    update = condition.update if condition else ""
    key = (connection.vendor, type(row), is_default, update)
    sql = _statements.get(key)
    if sql is None:
        sql = _statements[key] = _compile(connection, row, is_default, update)
    if condition is None:
        is_stored = _run(connection, sql, parameters)
    elif connection.vendor == "postgresql":
        is_stored = _run(connection, sql, [*condition.parameters, *parameters])
    else:
        with transaction.atomic(savepoint=False):
            is_stored = _run(connection, update, condition.parameters) and _run(connection, sql, parameters)
    row._state.adding = not is_stored
    row._state.db = connection.alias
    return is_stored


def prepared_cursor(connection: BaseDatabaseWrapper) -> Any:  # Any: a cursor of either kind
    """Return one for statements of few words that come again and again: on PostgreSQL the server may keep them."""
    return getattr(connection, "prepared_cursor", connection.cursor)()


def _run(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any]) -> bool:
    with transaction.mark_for_rollback_on_error(), prepared_cursor(connection) as cursor:
        cursor.execute(sql, parameters)
        return bool(cursor.rowcount)


def _compile(connection: BaseDatabaseWrapper, row: models.Model, is_default: Sequence[bool], update: str) -> str:
    """Leave out the columns whose value the database is to give.

    PostgreSQL is told the types of the others, without their lengths: a cast cuts off where a column refuses.
    """
    pairs = zip(row._meta.local_concrete_fields, is_default, strict=True)
    given = [field for field, is_left_out in pairs if not is_left_out]
    quote, on_postgresql = connection.ops.quote_name, connection.vendor == "postgresql"
    types = [str(field.db_type(connection)).partition("(")[0] for field in given]
    places = ", ".join(f"%s::{name}" if on_postgresql else "%s" for name in types)
    into = f"INSERT INTO {quote(row._meta.db_table)} ({', '.join(quote(str(field.column)) for field in given)})"
    if update and on_postgresql:
        return f"WITH changed AS ({update} RETURNING 1) {into} SELECT {places} FROM changed"  # noqa: S608  of our own
    return f"{into} VALUES ({places})"
