"""INSERT of one row with SQL that the ORM has made once.

To make the same statement again for each message took as long as everything from the token to the answer's text: the
ORM goes through every field and expression of a row, and only the values differ.
"""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import DatabaseDefault
from django.db.models.sql import InsertQuery

_PLAIN = frozenset({type(None), str, int, bool})  # handed on by every field as they are

_statements: dict[tuple[str, type[models.Model], tuple[bool, ...]], str] = {}


def insert(row: models.Model) -> None:
    """Store a new row, as `row.save(force_insert=True)` does; signals are not sent, and nothing is read back.

    For models whose key is not made by the database. Values of text and number fields have to be of their type.
    """
    connection = connections[DEFAULT_DB_ALIAS]  # `django.db.connection` looks it up anew for each of its attributes
    fields = row._meta.local_concrete_fields
    values = [field.pre_save(row, add=True) for field in fields]
    is_default = tuple([isinstance(value, DatabaseDefault) for value in values])
    sql = _statements.get((connection.vendor, type(row), is_default)) or _compile(connection, row, is_default)
    parameters = [
        value if type(value) in _PLAIN else field.get_db_prep_save(value, connection)
        for field, value in zip(fields, values, strict=True)
        if not isinstance(value, DatabaseDefault)
    ]
    with transaction.mark_for_rollback_on_error(), connection.cursor() as cursor:
        cursor.execute(sql, parameters)
    row._state.adding = False
    row._state.db = connection.alias


def _compile(connection: BaseDatabaseWrapper, row: models.Model, is_default: tuple[bool, ...]) -> str:
    query = InsertQuery(type(row))
    query.insert_values(row._meta.local_concrete_fields, [row])
    compiler: Any = query.get_compiler(connection=connection)  # Any: untyped in django-stubs
    [(sql, parameters)] = compiler.as_sql()
    if len(parameters) != is_default.count(False):
        raise TypeError(f"{type(row).__name__}: a field's value is more or less than one parameter")
    _statements[connection.vendor, type(row), is_default] = sql
    return str(sql)
