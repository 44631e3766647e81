"""Compile a condition to SQL of DuckDB. `queries.where.databases` is the same for the databases."""

import math
from datetime import datetime
from typing import Any

from datasets.columns.layout import KINDS
from datasets.queries import values
from datasets.queries.column_files.sources import Field, Relation, as_double, naive
from datasets.queries.where.conditions import COLUMNS, ORDERED, AllOf, Comparison, Condition, Negation, Value

Sql = tuple[str, list[Any]]

_NEVER: Sql = ("false", [])
_IS_NUMBER = "coalesce(regexp_matches({other}, '^[-0-9]'), false)"


def field_of(one: Comparison) -> Field:
    """Return the field of a comparison as a relation names it."""
    return one.path[0] if len(one.path) == 1 else one.path


def compiled(condition: Condition, relation: Relation) -> Sql:
    """Return SQL that is true or false, never NULL, and its parameters."""
    if isinstance(condition, Comparison):
        sql, parameters = _compared(condition, relation)
        return f"coalesce({sql}, false)", parameters
    if isinstance(condition, Negation):
        sql, parameters = compiled(condition.part, relation)
        return f"NOT {sql}", parameters
    parts = [compiled(part, relation) for part in condition.parts]
    word = " AND " if isinstance(condition, AllOf) else " OR "
    return f"({word.join(sql for sql, _ in parts)})", [each for _, given in parts for each in given]


def _compared(one: Comparison, relation: Relation) -> Sql:
    if one.path[0] in COLUMNS:
        return _of_column(one)
    field = field_of(one)
    other, text = relation.column("other", field), relation.column("text", field)
    if one.operator == "exists":
        return relation.is_there(field), []
    if one.operator == "is null":
        return f"{other} = 'null'", []
    if one.operator == "contains":
        return f"contains({text}, ?)", [one.values[0]]
    if one.operator == "starts_with":
        return f"starts_with({text}, ?)", [one.values[0]]
    if one.operator in ORDERED:
        return _ordered(one.operator, one.values[0], relation, field)
    found = [_is_equal(value, relation, field) for value in one.values]
    sql = f"({' OR '.join(f'coalesce({part}, false)' for part, _ in found)})"
    parameters = [each for _, given in found for each in given]
    if one.operator == "!=":
        is_scalar = f"coalesce(NOT starts_with({other}, '[') AND NOT starts_with({other}, '{{'), true)"
        return f"{relation.is_there(field)} AND {is_scalar} AND NOT {sql}", parameters
    return sql, parameters


def _of_column(one: Comparison) -> Sql:
    name = one.path[0]
    given = [naive(value) if isinstance(value, datetime) else value for value in one.values]
    if name == "_id":
        given = [value for value in given if isinstance(value, str)]
    if one.operator == "exists":
        return f"{name} IS NOT NULL", []
    if one.operator == "!=":
        return (f"{name} <> ?", given) if given else (f"{name} IS NOT NULL", [])
    if one.operator == "is null" or not given:
        return _NEVER
    if one.operator in {"contains", "starts_with"}:
        return f"{one.operator}({name}, ?)", given
    if one.operator in {"=", "in"}:
        return f"{name} IN ({', '.join('?' * len(given))})", given
    return f"{name} {one.operator} ?", given


def _is_equal(value: Value, relation: Relation, field: Field) -> Sql:
    number = values.number(value)
    if number is not None:
        return _numbers("=", number, relation, field)
    if isinstance(value, str):
        return f"{relation.column('text', field)} = ?", [value]
    return f"{relation.column('other', field)} = ?", ["null" if value is None else str(value).lower()]


def _ordered(operator: str, value: Value, relation: Relation, field: Field) -> Sql:
    number = values.number(value)
    if number is not None:
        return _numbers(operator, number, relation, field)
    if isinstance(value, str):
        return f"{relation.column('text', field)} {operator} ?", [value]
    return _NEVER


def _numbers(operator: str, number: int | float, relation: Relation, field: Field) -> Sql:
    """Compare the numbers of a field. Each kind of column has an own number, because DuckDB would round one of two."""
    whole, double, _, other = (relation.column(kind, field) for kind in KINDS)
    long = f"CASE WHEN {_IS_NUMBER.format(other=other)} THEN {as_double(other)} END"
    parts = [_wholes(operator, number, whole)]
    parts += [_doubles(operator, number, column) for column in (double, long)]
    sql = " OR ".join(f"coalesce({part}, false)" for part, _ in parts)
    return f"({sql})", [each for _, given in parts for each in given]


def _wholes(operator: str, number: int | float, column: str) -> Sql:
    """Compare whole numbers with a number, exactly."""
    if isinstance(number, float) and not number.is_integer():
        if operator == "=":
            return _NEVER
        border = math.floor(number) if operator in {"<", "<="} else math.ceil(number)
        operator = "<=" if operator in {"<", "<="} else ">="
    else:
        border = int(number)
    border = max(-(2**64), min(border, 2**64))
    return f"CAST({column} AS HUGEINT) {operator} CAST(? AS HUGEINT)", [str(border)]


def _doubles(operator: str, number: int | float, column: str) -> Sql:
    """Compare doubles with a number, exactly."""
    nearest = float(number)
    if nearest != number:  # a whole number between two doubles
        if operator == "=":
            return _NEVER
        is_above = nearest > number
        operator = {"<": "<" if is_above else "<=", ">": ">=" if is_above else ">"}[operator[0]]
    return f"{column} {operator} ?", [nearest]
