"""INSERT of one row with SQL made once, alone or only together with a conditional UPDATE.

The ORM goes through every field and expression of a row to say the same statement again: that took as long as
everything from the token to the answer's text. PostgreSQL keeps this one prepared, where the connection may.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import DatabaseDefault
from django.db.models.fields import NOT_PROVIDED

_PLAIN = frozenset({str, int, bool})  # handed on by every field as they are

_statements: dict[tuple[str, type[models.Model], tuple[str, ...], str], str] = {}


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
    parameters: list[Any] = []
    left_out: list[str] = []
    for column in _columns(type(row)):
        value = column.field.pre_save(row, add=True) if column.is_set_late else row.__dict__[column.name]
        kind = type(value)
        if kind in _PLAIN:
            parameters.append(value)
        elif (value is None and column.is_null_by_itself) or kind is DatabaseDefault:
            left_out.append(column.name)
        else:
            parameters.append(column.field.get_db_prep_save(value, connection))
    update = condition.update if condition else ""
    key = (connection.vendor, type(row), tuple(left_out), update)
    sql = _statements.get(key)
    if sql is None:
        sql = _statements[key] = _compile(connection, row, left_out, update)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """is_set_late: its value is found out when the row is stored; is_null_by_itself: NULL where it is not mentioned"""

    field: Any  # Any: of any kind
    name: str
    is_set_late: bool
    is_null_by_itself: bool


@cache
def _columns(model: type[models.Model]) -> list[_Column]:
    return [
        _Column(
            field=field,
            name=field.attname,
            is_set_late=type(field).pre_save is not models.Field.pre_save,
            is_null_by_itself=field.db_default is NOT_PROVIDED,
        )
        for field in model._meta.local_concrete_fields
    ]


def prepared_cursor(connection: BaseDatabaseWrapper) -> Any:  # Any: a cursor of either kind
    """Return one for statements of few words that come again and again: on PostgreSQL the server may keep them."""
    return getattr(connection, "prepared_cursor", connection.cursor)()


def _run(connection: BaseDatabaseWrapper, sql: str, parameters: Sequence[Any]) -> bool:
    with transaction.mark_for_rollback_on_error(), prepared_cursor(connection) as cursor:
        cursor.execute(sql, parameters)
        return bool(cursor.rowcount)


def _compile(connection: BaseDatabaseWrapper, row: models.Model, left_out: Sequence[str], update: str) -> str:
    """Leave out the columns whose value the database gives by itself.

    PostgreSQL is told the types of the others, without their lengths: a cast cuts off where a column refuses.
    """
    given = [field for field in row._meta.local_concrete_fields if field.attname not in left_out]
    quote, on_postgresql = connection.ops.quote_name, connection.vendor == "postgresql"
    types = [str(field.db_type(connection)).partition("(")[0] for field in given]
    places = ", ".join(f"%s::{name}" if on_postgresql else "%s" for name in types)
    into = f"INSERT INTO {quote(row._meta.db_table)} ({', '.join(quote(str(field.column)) for field in given)})"
    if update and on_postgresql:
        return f"WITH changed AS ({update} RETURNING 1) {into} SELECT {places} FROM changed"  # noqa: S608  of our own
    return f"{into} VALUES ({places})"
