"""The tree of a condition. It holds plain values, so that it can be sent to the query process."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

Path = tuple[str, ...]
Value = str | int | float | bool | datetime | None

MAX_CHARACTERS = 2_000
MAX_COMPARISONS = 50
MAX_LEVELS = 50  # of brackets
ORDERED = frozenset({"<", "<=", ">", ">="})
MOMENTS = frozenset({"_timestamp", "_start_at", "_end_at"})
COLUMNS = {"_id": "record_id", "_timestamp": "timestamp", "_start_at": "start_at", "_end_at": "end_at"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of one field. It is true or false, also for a record without the field.

    path: the name of a field, and the names inside nested objects
    operator: `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `starts_with`, `contains`, `exists` or `is null`
    values: one value; several for `in`; none for `exists` and `is null`
    """

    path: Path
    operator: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conditions joined by `and`."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions joined by `or`."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Negation:
    part: "Condition"


Condition = Comparison | AllOf | AnyOf | Negation


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """Yield the comparisons of a condition from left to right."""
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, Negation):
        yield from comparisons(condition.part)
    else:
        for part in condition.parts:
            yield from comparisons(part)


def fields_read(condition: Condition) -> set[str]:
    """Return the names of the callers' own fields that a condition reads."""
    return {one.path[0] for one in comparisons(condition) if one.path[0] not in COLUMNS}
