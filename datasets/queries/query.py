"""What can be asked: the value object between the query string and the records. Source: Data Set contract §11."""

from dataclasses import dataclass
from datetime import datetime

from datasets.queries.cursor import Position

PERIODS = ("hour", "day", "week", "month", "quarter", "year")
METHODS = ("sum", "count", "set", "mean", "min", "max", "median", "p95")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A record passes when the field equals the value, or, as a prefix, is a text that begins with it.

    moment: the value as an instant, for `_timestamp`, `_start_at` and `_end_at`.
    """

    name: str
    value: str
    is_prefix: bool
    moment: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    """keys: the names the collected value is shown under."""

    name: str
    method: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    key: str
    descending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked. identity: equal for equal questions, whatever the page; part of cursors and entity tags.

    limit: None is "all", which only exports may ask for. duration: counted in periods.
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
