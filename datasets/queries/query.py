"""The parsed query of a read.

Source: docs/reference/data-sets.md §11.
"""

from dataclasses import dataclass
from datetime import datetime

from datasets.queries.cursor import Position

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

    @property
    def is_raw(self) -> bool:
        return not self.group_by and self.period is None
