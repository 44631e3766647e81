"""Raw SQL that is compiled once for each kind of database, for the few statements that nearly every request runs.

The ORM builds the SQL again for each call. For the INSERT of a message that took as long as authentication, checks and
rendering together; for a read by key, longer than the rest of the request. PostgreSQL keeps these statements prepared
if the connection allows it.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, cached_property
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.fields import NOT_PROVIDED

Values = Sequence[Any]  # Any: values of columns, each of its own type
Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]  # Any: a value, its expression

# No field converts values of these types for the database.
_AS_IS = {"postgresql": frozenset({str, int, bool, UUID, datetime, date}), "sqlite": frozenset({str, int, bool})}


class Columns:
    """The columns that a statement reads, from one model or from several joined models.

    read: pairs of a model and its attributes, including the key. Other attributes are deferred, as by `only`.
    """

    def __init__(self, *read: tuple[type[models.Model], Sequence[str]]) -> None:
        self._read = read
        self._converters: dict[str, list[tuple[int, Any, Converter]]] = {}

    @property
    def names(self) -> str:
        """The column list of a SELECT or RETURNING, with table names if there are several models."""
        quote = _connection().ops.quote_name
        if len(self._read) == 1:
            return ", ".join(quote(column.target.column) for column in self._columns)
        return ", ".join(f"{quote(column.alias)}.{quote(column.target.column)}" for column in self._columns)

    def named(self, values: Values) -> Any:  # Any: its attributes are the columns
        """Return a named tuple of one model's columns, like `values_list(named=True)`.

        It takes a tenth of the time of a model instance.
        """
        return self._named._make(self._converted(values))

    def rows(self, values: Values) -> list[Any]:  # Any: instances of several models
        """Return an instance of each model. values: of these columns; further values are ignored"""
        rest = iter(self._converted(values))
        return [model.from_db(DEFAULT_DB_ALIAS, names, list(islice(rest, len(names)))) for model, names in self._names]

    @cached_property
    def _names(self) -> list[tuple[type[models.Model], list[str]]]:
        return [(model, [field.attname for field in _fields(model, names)]) for model, names in self._read]

    @cached_property
    def _columns(self) -> list[Any]:  # Any: untyped in django-stubs
        return [field.get_col(model._meta.db_table) for model, names in self._read for field in _fields(model, names)]

    @cached_property
    def _named(self) -> Any:  # Any: a class made here
        return namedtuple("Row", self._names[0][1])

    def _converted(self, values: Values) -> Values:
        connection = connections[DEFAULT_DB_ALIAS]
        converters = self._converters.get(connection.vendor)
        if converters is None:
            converters = self._converters[connection.vendor] = [
                (place, column, convert)
                for place, column in enumerate(self._columns)
                for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
            ]
        row = list(values[: len(self._columns)])
        for place, column, convert in converters:
            row[place] = convert(row[place], column, connection)
        return row


class Statement:
    """One SQL statement and the types of its parameters.

    sql: one text for both databases, or one by vendor; `{columns}` is replaced by the names of `reads`
    fields: the model fields that convert the parameters, in order; None: the parameters need no conversion
    """

    def __init__(
        self, sql: str | Mapping[str, str], fields: Sequence[Any] | None = None, *, reads: Columns | None = None
    ) -> None:  # Any: model fields, untyped in django-stubs
        self.fields = fields
        self._sql, self._reads = sql, reads
        self._compiled: dict[str, str] = {}

    def sql(self, connection: BaseDatabaseWrapper) -> str:
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            compiled = self._sql if isinstance(self._sql, str) else self._sql[connection.vendor]
            if self._reads is not None:
                compiled = compiled.format(columns=self._reads.names)
            self._compiled[connection.vendor] = compiled
        return compiled

    def parameters(self, values: Values, connection: BaseDatabaseWrapper) -> Values:
        return values if self.fields is None else _prepared(self.fields, values, connection)

    def run(self, *values: Any) -> int:  # Any: values of columns
        """Run the statement and return the number of rows that it changed."""
        connection = _connection()
        return _run(connection, self.sql(connection), self.parameters(values, connection))

    def first(self, *values: Any) -> Any:  # Any: the database's type
        """Run the statement and return the first row or None. `reads` converts a row to model instances."""
        connection = connections[DEFAULT_DB_ALIAS]
        sql = self._compiled.get(connection.vendor) or self.sql(connection)
        parameters = values if self.fields is None else _prepared(self.fields, values, connection)
        with prepared_cursor(connection) as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchone()


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """An UPDATE of one row with the values of its parameters."""

    update: Statement
    values: Values

    def is_met(self) -> bool:
        """Run the UPDATE alone, and return whether it changed a row."""
        return bool(self.update.run(*self.values))


def insert(model: type[models.Model], columns: Mapping[str, Any], condition: Condition | None = None) -> bool:
    """Insert a new row like `save(force_insert=True)`, without an instance, signals and reading anything back.

    columns: values by attribute of the model, such as `service_id`. The other columns get the default of the database
    or of the model; a default that is a function must be given. Values of text and number fields must have the right
    type.
    With a condition, it inserts the row if the UPDATE changes a row; otherwise it returns False. PostgreSQL does both
    in one statement, so no transaction is needed.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if condition is not None and connection.vendor != "postgresql":
        with transaction.atomic(savepoint=False):
            return condition.is_met() and insert(model, columns)
    update, values = (condition.update, condition.values) if condition else (None, ())
    statement = _insert_statement(connection.vendor, model, tuple(columns), update)
    given = _prepared(statement.fields, [*values, *columns.values()], connection)
    return bool(_run(connection, statement.sql, [*given, *statement.defaults]))


def prepared_cursor(connection: BaseDatabaseWrapper) -> Any:  # Any: a cursor of either kind
    """Return a cursor whose statements PostgreSQL prepares after a few uses."""
    return getattr(connection, "prepared_cursor", connection.cursor)()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Insert:
    """An INSERT. fields: those of its condition and of the given columns; defaults: the values of further columns"""

    sql: str
    fields: Sequence[Any]  # Any: fields of any model
    defaults: Values


@cache
def _insert_statement(
    vendor: str, model: type[models.Model], names: Sequence[str], update: Statement | None
) -> _Insert:
    """Return the INSERT of rows with these columns. The database sets its own defaults.

    PostgreSQL needs casts to the types. They have no lengths, since a cast would truncate what a column refuses.
    update: the condition, in the same statement
    """
    connection, on_postgresql = _connection(), vendor == "postgresql"
    known = {field.attname: field for field in model._meta.local_concrete_fields}
    given = [known.pop(name) for name in names]
    others = [field for field in known.values() if field.db_default is NOT_PROVIDED and not field.null]
    if computed := [field.attname for field in others if field.has_default() and callable(field.default)]:
        raise TypeError(f"{model.__name__} needs the columns {', '.join(computed)}")
    defaults = _prepared(others, [field.get_default() for field in others], connection)
    quote, stored = connection.ops.quote_name, [*given, *others]
    types = [str(field.db_type(connection)).partition("(")[0] for field in stored]
    places = ", ".join(f"%s::{name}" if on_postgresql else "%s" for name in types)
    into = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(quote(str(field.column)) for field in stored)})"
    sql = f"{into} VALUES ({places})"
    if update:
        sql = f"WITH changed AS ({update.sql(connection)} RETURNING 1) {into} SELECT {places} FROM changed"  # noqa: S608  no user input
    return _Insert(sql=sql, fields=[*((update and update.fields) or ()), *given], defaults=defaults)


def _prepared(fields: Iterable[Any], values: Iterable[Any], connection: BaseDatabaseWrapper) -> list[Any]:
    """Return values as the database takes them. Any: fields and values of any model"""
    as_is = _AS_IS[connection.vendor]
    return [
        value if type(value) in as_is or value is None else field.get_db_prep_save(value, connection)
        for field, value in zip(fields, values, strict=True)
    ]


def _run(connection: BaseDatabaseWrapper, sql: str, parameters: Values) -> int:
    with transaction.mark_for_rollback_on_error(), prepared_cursor(connection) as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.rowcount)


def _fields(model: type[models.Model], names: Sequence[str]) -> list[Any]:  # Any: untyped in django-stubs
    return [field for field in model._meta.concrete_fields if field.name in names or field.attname in names]


def _connection() -> BaseDatabaseWrapper:
    return connections[DEFAULT_DB_ALIAS]  # `django.db.connection` looks it up for each of its attributes
