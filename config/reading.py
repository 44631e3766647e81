"""SELECT of one row with SQL made once: the counterpart of `config.inserting`.

To build and compile the same query again took the ORM longer than everything else a read by key does.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

from config.inserting import prepared_cursor

Row = TypeVar("Row", bound=models.Model)
Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]  # Any: a value, its expression


class OneRow(Generic[Row]):
    """Finds the row of a model for which all of the comparisons hold, or None.

    columns: attributes to load, the key among them; the others are deferred, as by `only`
    comparisons: pairs of an attribute and an SQL operator, as ("created_at", ">="); of a value never null
    """

    def __init__(self, model: type[Row], columns: Sequence[str], comparisons: Sequence[tuple[str, str]]) -> None:
        self._model = model
        field = model._meta.get_field
        wanted = [one for one in model._meta.concrete_fields if one.name in columns or one.attname in columns]
        self._attributes = [one.attname for one in wanted]
        self._columns: list[Any] = [one.get_col(model._meta.db_table) for one in wanted]  # Any: untyped in django-stubs
        self._compared: list[Any] = [field(name) for name, _ in comparisons]
        self._operators = [operator for _, operator in comparisons]
        self._statements: dict[str, tuple[str, list[list[Converter]]]] = {}

    def find(self, *values: Any) -> Row | None:  # Any: what each comparison compares with
        """values: in the order of the comparisons"""
        connection = connections[DEFAULT_DB_ALIAS]
        sql, converters = self._statements.get(connection.vendor) or self._compile(connection)
        pairs = zip(self._compared, values, strict=True)
        with prepared_cursor(connection) as cursor:
            cursor.execute(sql, [field.get_db_prep_value(value, connection) for field, value in pairs])
            found = cursor.fetchone()
        if found is None:
            return None
        row = list(found)
        for place, own in enumerate(converters):
            for convert in own:
                row[place] = convert(row[place], self._columns[place], connection)
        return self._model.from_db(connection.alias, self._attributes, row)

    def _compile(self, connection: BaseDatabaseWrapper) -> tuple[str, list[list[Converter]]]:
        quote = connection.ops.quote_name
        names = ", ".join(quote(column.target.column) for column in self._columns)
        where = " AND ".join(
            f"{quote(field.column)} {operator} %s"
            for field, operator in zip(self._compared, self._operators, strict=True)
        )
        sql = f"SELECT {names} FROM {quote(self._model._meta.db_table)} WHERE {where}"  # noqa: S608  of our own words
        converters = [
            [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]
            for column in self._columns
        ]
        self._statements[connection.vendor] = sql, converters
        return sql, converters
