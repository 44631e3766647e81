"""Compile a condition to SQL of PostgreSQL and SQLite. Source: docs/reference/data-sets.md §11 (where)."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import BooleanField, F, Func

from datasets.queries import comparing, values
from datasets.queries.stored import FieldText
from datasets.queries.where.conditions import (
    COLUMNS,
    MOMENTS,
    ORDERED,
    AllOf,
    Comparison,
    Condition,
    Negation,
    Value,
    comparisons,
)

Sql = tuple[str, list[Any]]  # Any: the parameters of a statement have many types

_OTHER = 9  # the kind of null, arrays and objects
# The field is read once: without a fence, PostgreSQL parses the JSON for each use of `field`.
_ABOUT_FIELD = (
    "COALESCE((SELECT {about} FROM (SELECT field, {kind} AS kind FROM (SELECT {field} AS field {fence}) AS found)"
    " AS keyed), false)"
)
_FENCES = {"postgresql": "OFFSET 0", "sqlite": "LIMIT -1"}
_POSITIONS = {"postgresql": "STRPOS", "sqlite": "INSTR"}


class Passes(Func):
    """Whether a record passes a condition: true or false, never NULL."""

    output_field = BooleanField()

    def __init__(self, condition: Condition, **extra: Any) -> None:  # Any: Django copies expressions with it
        super().__init__(*map(_source, comparisons(condition)), **extra)
        self.condition = condition

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:  # Any: untyped in Django
        sources = iter([compiler.compile(source) for source in self.source_expressions])
        sql, parameters = _compiled(self.condition, sources, connection)
        return sql, tuple(parameters)

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:
        return self.as_postgresql(compiler, connection)


def _source(one: Comparison) -> F | FieldText:
    return F(COLUMNS[one.path[0]]) if one.path[0] in COLUMNS else FieldText(*one.path)


def _compiled(condition: Condition, sources: Iterator[Sql], connection: Any) -> Sql:
    if isinstance(condition, Comparison):
        return _compared(condition, *next(sources), connection)
    if isinstance(condition, Negation):
        sql, parameters = _compiled(condition.part, sources, connection)
        return f"NOT {sql}", parameters
    parts = [_compiled(part, sources, connection) for part in condition.parts]
    word = " AND " if isinstance(condition, AllOf) else " OR "
    return f"({word.join(sql for sql, _ in parts)})", [each for _, given in parts for each in given]


def _compared(one: Comparison, source: str, parameters: list[Any], connection: Any) -> Sql:
    name = one.path[0]
    if one.operator == "exists":
        return f"({source} IS NOT NULL)", [*parameters]
    if name in MOMENTS:
        given = [connection.ops.adapt_datetimefield_value(value) for value in one.values]
        return _of_column(one.operator, source, given, connection)
    if name in COLUMNS:
        return _of_column(one.operator, source, [value for value in one.values if isinstance(value, str)], connection)
    is_equality = one.operator in {"=", "in", "is null"}
    if is_equality and not any(values.number(value) is not None for value in one.values):
        texts = [_json_text(value) for value in one.values or (None,)]
        return f"COALESCE({source} IN ({_places(texts)}), false)", [*parameters, *texts]
    about, compared = _about_field(one, connection)
    fence = _FENCES[connection.vendor]
    kind = comparing.KIND.format(last=_OTHER)
    return _ABOUT_FIELD.format(about=about, kind=kind, field=source, fence=fence), [*compared, *parameters]


def _of_column(operator: str, column: str, given: list[Any], connection: Any) -> Sql:
    """Compare a column with values of its own type. `given` is empty if there are none."""
    if operator == "is null":
        return "(1 = 0)", []
    if operator == "!=":
        return f"({column} IS NOT NULL{f' AND {column} <> %s' if given else ''})", given
    if not given:
        return "(1 = 0)", []
    if operator in {"=", "in"}:
        return f"COALESCE({column} IN ({_places(given)}), false)", given
    return f"COALESCE({_ordered(operator, column, connection)}, false)", _operands(operator, given[0])


def _about_field(one: Comparison, connection: Any) -> Sql:
    """Return SQL about the columns `field` and `kind`."""
    value = one.values[0]
    if one.operator in {"contains", "starts_with"}:
        return _ordered(one.operator, comparing.text_sql(), connection), _operands(one.operator, value)
    if one.operator in ORDERED:
        number = values.number(value)
        if number is not None:
            placeholder, parameter = comparing.number_parameter(number)
            return f"({comparing.number_sql()}) {one.operator} {placeholder}", [parameter]
        if isinstance(value, str):
            return f"({comparing.text_sql()}) {one.operator} %s", [value]
        return "false", []
    is_equal, parameters = _is_equal(one.values)
    if one.operator == "!=":
        return f"SUBSTR(field, 1, 1) NOT IN ('[', '{{') AND NOT {is_equal}", parameters
    return is_equal, parameters


def _is_equal(given: tuple[Value, ...]) -> Sql:
    texts = [_json_text(value) for value in given if values.number(value) is None]
    numbers = [comparing.number_parameter(number) for value in given if (number := values.number(value)) is not None]
    either = [f"field IN ({_places(texts)})"] if texts else []
    if numbers:
        places = ", ".join(placeholder for placeholder, _ in numbers)
        either.append(f"COALESCE(({comparing.number_sql()}) IN ({places}), false)")
    return f"({' OR '.join(either)})", [*texts, *(parameter for _, parameter in numbers)]


def _ordered(operator: str, column: str, connection: Any) -> str:
    if operator == "contains":
        return f"{_POSITIONS[connection.vendor]}({column}, %s) > 0"
    if operator == "starts_with":
        return f"SUBSTR({column}, 1, %s) = %s"
    return f"{column} {operator} %s"


def _operands(operator: str, value: Any) -> list[Any]:
    return [len(value), value] if operator == "starts_with" else [value]


def _places(given: list[Any]) -> str:
    return ", ".join(["%s"] * len(given))


def _json_text(value: Value) -> str:
    """Return the text that is stored for a text, boolean or null."""
    return json.dumps(value, ensure_ascii=False)
