"""The parsed query of a read.

Source: docs/reference/data-sets.md §11.
"""

from dataclasses import dataclass
from datetime import datetime

from datasets.queries.cursor import Position
from datasets.queries.local_time import TIME_PARTS
from datasets.queries.where.conditions import Condition, fields_read
from datasets.records import names

PERIODS = ("hour", "day", "week", "month", "quarter", "year")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A condition: the field equals the value or, if `is_prefix` is set, is a text that starts with the value.

    moment: the value as an instant, for `_timestamp`, `_start_at` and `_end_at`
    """

    name: str
    value: str
    is_prefix: bool
    moment: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    """A method on a field. keys: the names of the collected value in the answer."""

    name: str
    method: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    key: str
    descending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A parsed query.

    identity: the hash of the query without cursor and limit; cursors and entity tags contain it
    limit: None means all records, for exports only; duration: a number of periods
    select: the fields of a raw read in their order, empty for all
    time_zone: an IANA name, None for UTC; compare: `previous_period` or `previous_year`
    moving: the number of periods of moving means
    """

    identity: str
    format: str
    start_at: datetime | None
    end_at: datetime | None
    inclusive: bool
    period: str | None
    duration: int | None
    filters: tuple[Filter, ...]
    group_by: tuple[str, ...]
    collect: tuple[Collect, ...]
    sort: Sort | None
    limit: int | None
    after: Position | None
    flatten: bool
    where: Condition | None = None
    having: Condition | None = None
    select: tuple[str, ...] = ()
    time_zone: str | None = None
    compare: str | None = None
    moving: int | None = None

    @property
    def is_raw(self) -> bool:
        return not self.group_by and self.period is None and not self.collect

    @property
    def has_field_condition(self) -> bool:
        """Return whether a condition reads the body of records, which no index has."""
        return self.where is not None or any(
            one.moment is None and (one.name != "_id" or one.is_prefix) for one in self.filters
        )

    def condition_fields(self) -> set[str]:
        """Return the names of the callers' own fields that the filters and `where` read."""
        filtered = {one.name for one in self.filters if one.moment is None and one.name != "_id"}
        return filtered if self.where is None else filtered | fields_read(self.where)

    def grouped_fields(self) -> set[str]:
        """Return the names of the callers' own fields that `group_by` and `collect` read."""
        asked = {*self.group_by, *(one.name for one in self.collect)} - {*TIME_PARTS}
        return asked | {path[0] for name in asked if (path := names.path_of(name)) is not None}
