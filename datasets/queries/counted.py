"""What the engines count: numbers of equal records, from which `groups` builds the rows of an answer.

The row store (`counting`) and the query process for column files (`column_files`) both yield `Counted`, so both give
the same answer. Source: docs/reference/data-sets.md §11.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from datasets.queries.query import Collect

WHOLE = ""  # instead of a value: whole numbers, added up
DOUBLES = "."  # instead of a value: doubles, added up without rounding
OTHER = '"'  # instead of a value: a value that only counts as present


class Counted(NamedTuple):
    """A number of equal records. keys: the JSON texts of the group_by fields, None if absent.

    field: the index of the collected field in `fields`; the rows with index 0 count each record once
    value: the JSON text, WHOLE, DOUBLES, OTHER, or None for null and absent
    total, least, greatest: for WHOLE and DOUBLES, least and greatest only if a method needs them; the total of DOUBLES
        is in units of 2 to the power of -POINT
    """

    keys: tuple[str | None, ...]
    period: datetime | None
    field: int
    value: str | None
    records: int
    total: int | None = None
    least: int | float | None = None
    greatest: int | float | None = None


class Computed(NamedTuple):
    """A collected value that the engine computed itself, because it would have to return too many values.

    period: the start of a period of the group, or None for the whole group; field: as in `Counted`
    """

    keys: tuple[str | None, ...]
    period: datetime | None
    field: int
    method: str
    value: int | float


class FoundValue(NamedTuple):
    """The first or last value of a field in a group or period. value: its JSON text; period, field: as in `Counted`

    timestamp, record_id: of its record, by which `collect` chooses among several values of a group
    """

    keys: tuple[str | None, ...]
    period: datetime | None
    field: int
    method: str
    value: str
    timestamp: datetime
    record_id: str


def fields(collects: Iterable[Collect]) -> dict[str, set[str]]:
    """Return the collected fields in their order, each with its methods."""
    found: dict[str, set[str]] = {}
    for one in collects:
        found.setdefault(one.name, set()).add(one.method)
    return found
