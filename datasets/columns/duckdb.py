"""DuckDB in a limited child process: the connection, and the one function that writes a column file.

No extension is ever loaded, and only files of the given folders are read. This module imports no framework, because
the child process must stay small, and DuckDB only in functions that run there: it takes 20 MB of each process.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from datasets.columns import layout

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SHORT = 1024 * 1024  # bytes; DuckDB's buffers have twice the size of the longest line


def connect(folders: Iterable[str], *, memory_mb: int, spill: str, threads: int = 2) -> "DuckDBPyConnection":
    """Return a connection that reads and writes below these folders only."""
    import duckdb

    connection = duckdb.connect(config={"threads": threads, "memory_limit": f"{memory_mb}MB"})
    allowed = ", ".join(quoted(f"{folder}/") for folder in [*folders, spill])
    for statement in (
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET preserve_insertion_order = false",
        "SET GLOBAL TimeZone = 'UTC'",
        "SET enable_progress_bar = false",  # it would be in the log of the web process
        f"SET temp_directory = {quoted(spill)}",
        "SET max_temp_directory_size = '4GB'",
        f"SET allowed_directories = [{allowed}]",
        "SET enable_external_access = false",
        "SET lock_configuration = true",
    ):
        connection.execute(statement)
    return connection


def memory_mib(connection: "DuckDBPyConnection") -> float:
    """Return the memory limit of the connection, which DuckDB shows as `335.6 MiB`."""
    ((shown,),) = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    number, unit = shown.split()
    return float(number) * {"bytes": 2**-20, "KiB": 2**-10, "MiB": 1, "GiB": 2**10, "TiB": 2**20}[unit]


def quoted(text: str) -> str:
    """Return the text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def lines_of(path: str, columns: Sequence[str], longest: int) -> str:
    """Return SQL that reads the lines of a `layout.Writer`. longest: the length of its longest line in bytes"""
    types = ", ".join(f"{quoted(name)}: {quoted(layout.type_of(name))}" for name in columns)
    return (
        f"read_json({quoted(path)}, format = 'newline_delimited', columns = {{{types}}},"
        f" maximum_object_size = {max(longest, _SHORT)})"
    )


def write_file(lines: str, columns: tuple[str, ...], longest: int, target: str, memory_mb: int) -> None:
    """Write a column file from the lines of a `layout.Writer`, sorted by time and `_id`."""
    with TemporaryDirectory(dir=Path(target).parent) as spill:
        folders = {str(Path(lines).parent), str(Path(target).parent)}
        with connect(folders, memory_mb=memory_mb, spill=spill, threads=1) as connection:
            connection.execute(
                f"COPY (SELECT * FROM {lines_of(lines, columns, longest)} ORDER BY _timestamp, _id) TO {quoted(target)}"  # noqa: S608
                " (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 61440)"
            )


def is_equal(lines: str, columns: tuple[str, ...], longest: int, file: str, memory_mb: int) -> bool:
    """Return whether a column file has exactly the records of the lines of a `layout.Writer`."""
    with TemporaryDirectory(dir=Path(lines).parent) as spill:
        folders = {str(Path(lines).parent), str(Path(file).parent)}
        with connect(folders, memory_mb=memory_mb, spill=spill, threads=1) as connection:
            names = [row[0] for row in connection.execute(f"DESCRIBE FROM read_parquet({quoted(file)})").fetchall()]
            if sorted(names) != sorted(columns):
                return False
            selected = ", ".join(map(identifier, columns))
            here = f"SELECT {selected} FROM {lines_of(lines, columns, longest)}"  # noqa: S608  columns of the layout
            there = f"SELECT {selected} FROM read_parquet({quoted(file)})"  # noqa: S608
            either = f"(({here}) EXCEPT ALL ({there})) UNION ALL (({there}) EXCEPT ALL ({here}))"
            return connection.execute(f"SELECT count(*) FROM ({either})").fetchall() == [(0,)]  # noqa: S608
