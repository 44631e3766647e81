"""The functions that run in the query process. They must import neither Django nor models."""

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from config.limited import TooLarge
from datasets.columns.duckdb import connect
from datasets.queries import groups
from datasets.queries.column_files import conditions, counting, csv_lines, positions
from datasets.queries.column_files import table as table_files
from datasets.queries.column_files.positions import RecordPlace
from datasets.queries.column_files.sources import Field, Relation, Source, asked
from datasets.queries.column_files.where import field_of
from datasets.queries.local_time import TIME_PARTS, Shift
from datasets.queries.periods import Window
from datasets.queries.query import Query
from datasets.queries.where.conditions import COLUMNS, comparisons

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class FileVanished(Exception):
    """A local copy of a column file was deleted before it was read, or cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A query and what it reads. folder: of the local copies; memory_mb: of DuckDB"""

    sources: tuple[Source, ...]
    query: Query
    folder: str
    memory_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """How a query groups.

    part_shift: the offsets of its time zone; only: the keys of the groups to return, None for all
    """

    window: Window | None
    part_shift: Shift
    max_rows: int
    only: Collection[groups.Key] | None


def grouped(task: Task, grouping: Grouping) -> list[groups.GroupRow]:
    """Return the groups of a grouped read. Raises InvalidQuery, TooLarge, FileVanished."""
    query, window, max_rows = task.query, grouping.window, grouping.max_rows
    span = window or query
    names = [*query.group_by, *(one.name for one in query.collect)]
    relation = _relation(task, map(asked, names), grouping.part_shift)
    chosen = conditions.of(relation, query)
    conditions.add_range(chosen, span.start_at, span.end_at, inclusive=span.inclusive)
    period_shift = window.shift if window is not None else ()
    with _explaining():
        connection = _connection(task.folder, task.memory_mb)
        only = None
        if window is not None and query.limit is not None and "_group_count" not in _keys_used(query):
            # Count periods of the shown groups only: 150 of 2,000 pages by week are 8,000 rows of 106,000.
            used = _keys_used(query)
            collected = tuple(one for one in query.collect if used.intersection(one.keys))
            whole = replace(query, period=None, collect=collected)
            counted = counting.count(connection, relation, chosen, whole, max_rows=max_rows)
            only = groups.leading(counted, whole, max_rows=max_rows)
            conditions.add_groups(chosen, (relation.column("text", asked(name)) for name in query.group_by), only)
        may_leave_out = max_rows if grouping.only is None else None
        counted = counting.count(
            connection, relation, chosen, query, only, period_shift=period_shift, max_rows=may_leave_out
        )
        return groups.rows(counted, query, window, max_rows=max_rows, only=grouping.only)


def _keys_used(query: Query) -> set[str]:
    """Return the keys of a group's row by which the query sorts or chooses groups."""
    keys = set() if query.sort is None else {query.sort.key}
    return keys if query.having is None else keys.union(one.path[0] for one in comparisons(query.having))


def places(task: Task, most: int) -> list[RecordPlace]:
    """Return the places of the first records of a raw read. Raises TooLarge, FileVanished."""
    query = task.query
    relation = _relation(task, [query.sort.key] if query.sort is not None else [])
    chosen = conditions.of(relation, query)
    conditions.add_range(chosen, query.start_at, query.end_at, inclusive=query.inclusive)
    with _explaining():
        return positions.find(_connection(task.folder, task.memory_mb), relation, chosen, query, most)


def table(task: Task, path: str) -> bool:
    """Write the records of a raw read as a Parquet file and return True. Raises TooLarge, FileVanished."""
    query = task.query
    columns = sorted(set().union(*(source.columns for source in task.sources)))
    names = query.select or (*table_files.OWN, *table_files.fields_of(columns))
    sorted_by = [] if query.sort is None else [query.sort.key]
    relation = _relation(task, [name for name in [*names, *sorted_by] if not name.startswith("_")])
    chosen = conditions.of(relation, query)
    conditions.add_range(chosen, query.start_at, query.end_at, inclusive=query.inclusive)
    connection = _connection(task.folder, task.memory_mb)
    with _explaining():
        order = positions.order(relation, query)
        table_files.write(connection, relation, chosen, names=names, order=order, most=query.limit, path=path)
    return True


def csv(task: Task, header: tuple[str, ...], path: str) -> bool:
    """Write the records of a raw read as lines of a CSV and return True. Raises TooLarge, FileVanished."""
    query = task.query
    relation = _relation(task, [name for name in header if not name.startswith("_")])
    chosen = conditions.of(relation, query)
    conditions.add_range(chosen, query.start_at, query.end_at, inclusive=query.inclusive)
    with _explaining():
        csv_lines.write(_connection(task.folder, task.memory_mb), relation, chosen, header=header, path=path)
    return True


def _relation(task: Task, fields: Iterable[Field], part_shift: Shift = ()) -> Relation:
    """Return the relation with these fields and those of the query's conditions."""
    where = task.query.where
    filtered = [one.name for one in task.query.filters if one.moment is None and one.name != "_id"]
    compared = [] if where is None else [field_of(one) for one in comparisons(where) if one.path[0] not in COLUMNS]
    own = {*positions.OWN, *TIME_PARTS}
    return Relation(task.sources, [one for one in [*fields, *filtered, *compared] if one not in own], part_shift)


@contextmanager
def _explaining() -> Iterator[None]:
    """Raise TooLarge, FileVanished or RuntimeError in place of DuckDB's errors, which the web process cannot import."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise TooLarge from error
    except (duckdb.IOException, duckdb.InvalidInputException, duckdb.SerializationException) as error:
        raise FileVanished(str(error)[:200]) from error
    except duckdb.Error as error:
        if type(error) is duckdb.Error:  # of the parser of Parquet's headers, which has no type of its own
            raise FileVanished(str(error)[:200]) from error
        raise RuntimeError(f"{type(error).__name__}: {str(error)[:500]}") from error


@lru_cache(maxsize=1)
def _connection(folder: str, memory_mb: int) -> "DuckDBPyConnection":
    spill = Path(folder) / f"spill-{os.getpid()}"
    return connect([folder], memory_mb=memory_mb, spill=str(spill))
