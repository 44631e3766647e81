"""Run one grouped statement over the selected records of column files."""

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from datasets.columns.layout import KINDS
from datasets.queries.column_files.conditions import Conditions
from datasets.queries.column_files.sources import is_null

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_ONCE = 5_000  # rows


class StatementRow(NamedTuple):
    """A row of a grouped statement. groups: the columns by which it groups; values: the other ones"""

    keys: tuple[str | None, ...]
    period: datetime | None
    values: list[Any]
    groups: tuple[Any, ...]


class GroupedStatement(NamedTuple):
    """A query over the selected records.

    groups: the columns by which it groups; by_period: the last one is a period
    only: the keys of the groups to yield, None for all
    """

    source: str
    conditions: Conditions
    groups: list[str]
    by_period: bool
    only: set[tuple[str | None, ...]] | None = None

    def rows(
        self,
        connection: "DuckDBPyConnection",
        columns: list[str],
        further: tuple[str, ...] = (),
        where: str = "true",
        after: str = "",
    ) -> Iterator[StatementRow]:
        """Yield keys, period and the columns of each group.

        further: columns to group by, which come first of these; after: clauses that choose among the groups
        """
        by = [*self.groups, *further]
        # Without columns that are null everywhere, DuckDB groups in a third of the time. One stays, so that no records
        # are no groups.
        places = [str(number) for number, column in enumerate(by, 1) if not is_null(column)] or ["1"]
        group = f"GROUP BY {', '.join(places)}" if by else ""
        statement = (
            f"SELECT {', '.join([*by, *columns])} FROM ({self.source})"  # noqa: S608  numbered columns, bound values
            f" WHERE {self.conditions.sql} AND {where} {group} {after}"
        )
        yield from self.split(connection.cursor().execute(statement, self.conditions.parameters))

    def split(self, found: "DuckDBPyConnection") -> Iterator[StatementRow]:
        """Yield keys, period and the other columns of each row of a result, whose first columns are the groups."""
        width = len(self.groups) - self.by_period
        while block := found.fetchmany(_AT_ONCE):
            for row in block:
                keys = tuple(text_of(*row[first : first + len(KINDS)]) for first in range(0, width, len(KINDS)))
                if self.only is not None and keys not in self.only:
                    continue
                period = utc(row[width]) if self.by_period else None
                groups = row[: len(self.groups)]
                yield StatementRow(keys, period, list(row[len(groups) :]), groups)


@lru_cache(maxsize=20_000)  # the rows of one group in many periods have the same values
def text_of(whole: int | None, double: float | None, text: str | None, other: str | None) -> str | None:
    """Return the JSON text of a value by the column that holds it."""
    if text is not None:
        return json.dumps(text, ensure_ascii=False)
    if whole is not None:
        return str(whole)
    if double is None:
        return other
    return repr(double) if math.isfinite(double) else f"{'-' if double < 0 else ''}1e999"  # as JSON writes infinity


@lru_cache(maxsize=20_000)
def utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
