"""The functions that run in the query process. They must import neither Django nor models."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config.limited import TooLarge
from datasets.columns.duckdb import connect
from datasets.queries import groups
from datasets.queries.column_files import conditions, counting, positions
from datasets.queries.column_files.positions import RecordPlace
from datasets.queries.column_files.sources import Relation, Source
from datasets.queries.column_files.table import fields_of, write
from datasets.queries.periods import Window
from datasets.queries.query import Query

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


def grouped(task: Task, window: Window | None, max_rows: int) -> list[dict[str, Any]]:
    """Return the rows of a grouped read, a read by period, or both. Raises InvalidQuery, TooLarge, FileVanished."""
    query, span = task.query, window or task.query
    names = [*query.group_by, *(one.name for one in query.collect)]
    relation = _relation(task, names)
    chosen = conditions.of(relation, query.filters)
    conditions.add_range(chosen, span.start_at, span.end_at, inclusive=span.inclusive)
    with _explaining():
        connection = _connection(task.folder, task.memory_mb)
        only = None
        if window is not None and query.limit is not None and not _sorts_by_periods(query):
            # Count periods of the shown groups only: 150 of 2,000 pages by week are 8,000 rows of 106,000.
            whole = replace(query, period=None)
            only = groups.leading(counting.count(connection, relation, chosen, whole), whole, max_rows=max_rows)
        counted = counting.count(connection, relation, chosen, query, only)
        return groups.rows(counted, query, window, max_rows=max_rows)


def _sorts_by_periods(query: Query) -> bool:
    return query.sort is not None and query.sort.key == "_group_count"


def places(task: Task, most: int) -> list[RecordPlace]:
    """Return the places of the first records of a raw read. Raises TooLarge, FileVanished."""
    query = task.query
    relation = _relation(task, [query.sort.key] if query.sort is not None else [])
    chosen = conditions.of(relation, query.filters)
    conditions.add_range(chosen, query.start_at, query.end_at, inclusive=query.inclusive)
    with _explaining():
        return positions.find(_connection(task.folder, task.memory_mb), relation, chosen, query, most)


def table(task: Task, path: str) -> bool:
    """Write the records of a raw read as a Parquet file and return True. Raises TooLarge, FileVanished."""
    query = task.query
    columns = sorted(set().union(*(source.columns for source in task.sources)))
    relation = _relation(task, [*fields_of(columns), *([query.sort.key] if query.sort is not None else [])])
    chosen = conditions.of(relation, query.filters)
    conditions.add_range(chosen, query.start_at, query.end_at, inclusive=query.inclusive)
    connection = _connection(task.folder, task.memory_mb)
    with _explaining():
        write(connection, relation, chosen, order=positions.order(relation, query), most=query.limit, path=path)
    return True


def _relation(task: Task, names: Sequence[str]) -> Relation:
    own = [one.name for one in task.query.filters if one.moment is None and one.name != "_id"]
    return Relation(task.sources, [name for name in [*names, *own] if name not in positions.OWN])


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
        raise RuntimeError(f"{type(error).__name__}: {str(error)[:500]}") from error


@lru_cache(maxsize=1)
def _connection(folder: str, memory_mb: int) -> "DuckDBPyConnection":
    spill = Path(folder) / f"spill-{os.getpid()}"
    return connect([folder], memory_mb=memory_mb, spill=str(spill))
