"""SELECT of one row with SQL made once: the counterpart of `config.inserting`.

To build and compile the same query again took the ORM longer than everything else a read by key does.
"""

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

from config.inserting import prepared_cursor

Row = TypeVar("Row", bound=models.Model)
Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]  # Any: a value, its expression


class Loaded(Generic[Row]):
    """Makes rows of a model from what a statement has read of them.

    columns: attributes to load, the key among them; the others are deferred, as by `only`
    """

    def __init__(self, model: type[Row], columns: Sequence[str]) -> None:
        self._model = model
        self._read = _Columns(model, columns)

    @property
    def names(self) -> str:
        """The columns, for a SELECT or RETURNING, in the order in which `row` wants their values."""
        return self._read.names

    def row(self, values: Sequence[Any]) -> Row:  # Any: as the database gives them
        """values: of the columns; more may follow"""
        return self._model.from_db(DEFAULT_DB_ALIAS, self._read.attributes, self._read.converted(values))


class OneRow:
    """Finds the row of a model for which all of the comparisons hold, or None; as `values_list(named=True)` has it.

    To make a message of it took a tenth of all that it takes to show one.

    columns: attributes to read
    comparisons: pairs of an attribute and an SQL operator, as ("created_at", ">="); of a value never null
    """

    def __init__(
        self, model: type[models.Model], columns: Sequence[str], comparisons: Sequence[tuple[str, str]]
    ) -> None:
        self._table = model._meta.db_table
        self._read = _Columns(model, columns)
        self._row: Any = namedtuple("Row", self._read.attributes)  # type: ignore[misc]  # columns of the caller
        self._compared: list[Any] = [model._meta.get_field(name) for name, _ in comparisons]
        self._operators = [operator for _, operator in comparisons]
        self._statements: dict[str, str] = {}

    def find(self, *values: Any) -> Any:  # Any: what each comparison compares with; a row with the columns' attributes
        """values: in the order of the comparisons"""
        connection = connections[DEFAULT_DB_ALIAS]
        sql = self._statements.get(connection.vendor) or self._compile(connection)
        pairs = zip(self._compared, values, strict=True)
        with prepared_cursor(connection) as cursor:
            cursor.execute(sql, [field.get_db_prep_value(value, connection) for field, value in pairs])
            found = cursor.fetchone()
        return None if found is None else self._row._make(self._read.converted(found))

    def _compile(self, connection: BaseDatabaseWrapper) -> str:
        quote = connection.ops.quote_name
        where = " AND ".join(
            f"{quote(field.column)} {operator} %s"
            for field, operator in zip(self._compared, self._operators, strict=True)
        )
        sql = f"SELECT {self._read.names} FROM {quote(self._table)} WHERE {where}"  # noqa: S608  of our own words
        self._statements[connection.vendor] = sql
        return sql


class _Columns:
    """Columns of a model, and their values as Python has them."""

    def __init__(self, model: type[models.Model], columns: Sequence[str]) -> None:
        wanted = [one for one in model._meta.concrete_fields if one.name in columns or one.attname in columns]
        self.attributes = [one.attname for one in wanted]
        self._columns: list[Any] = [one.get_col(model._meta.db_table) for one in wanted]  # Any: untyped in django-stubs
        self._converters: dict[str, list[tuple[int, Converter]]] = {}

    @property
    def names(self) -> str:
        quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
        return ", ".join(quote(column.target.column) for column in self._columns)

    def converted(self, values: Sequence[Any]) -> Sequence[Any]:  # Any: as the database gives them
        """values: of the columns; more may follow"""
        connection = connections[DEFAULT_DB_ALIAS]
        converters = self._converters.get(connection.vendor)
        if converters is None:
            converters = self._converters[connection.vendor] = [
                (place, convert)
                for place, column in enumerate(self._columns)
                for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
            ]
        row = list(values[: len(self._columns)])
        for place, convert in converters:
            row[place] = convert(row[place], self._columns[place], connection)
        return row
