"""Apply a condition to the values of a row. Source: docs/reference/data-sets.md §11 (having)."""

from collections.abc import Mapping
from typing import Any

from datasets.queries import values
from datasets.queries.where.conditions import ORDERED, AllOf, AnyOf, Comparison, Condition, Negation


def passes(condition: Condition, row: Mapping[str, Any]) -> bool:
    """Return whether the condition holds for a row. The path of each comparison is a key of the row."""
    if isinstance(condition, AllOf):
        return all(passes(part, row) for part in condition.parts)
    if isinstance(condition, AnyOf):
        return any(passes(part, row) for part in condition.parts)
    if isinstance(condition, Negation):
        return not passes(condition.part, row)
    return _compares(condition, row)


def _compares(one: Comparison, row: Mapping[str, Any]) -> bool:
    (key,) = one.path
    if key not in row:
        return False
    found = row[key]
    if one.operator == "exists":
        return True
    if one.operator == "is null":
        return found is None
    if one.operator == "contains":
        return isinstance(found, str) and str(one.values[0]) in found
    if one.operator == "starts_with":
        return isinstance(found, str) and found.startswith(str(one.values[0]))
    if isinstance(found, list | dict):
        return False
    if one.operator in ORDERED:
        return _is_ordered(found, one.operator, one.values[0])
    is_equal = any(_is_equal(found, value) for value in one.values)
    return not is_equal if one.operator == "!=" else is_equal


def _is_equal(found: object, value: object) -> bool:
    return (found is None) == (value is None) and values.order(found) == values.order(value)


def _is_ordered(found: object, operator: str, value: object) -> bool:
    (kind, left), (wanted, right) = values.order(found), values.order(value)
    if kind != wanted or kind not in {values.NUMBER, values.TEXT}:
        return False
    return bool({"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator])
