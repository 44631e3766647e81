"""Read an uploaded file in a limited process, so that no file ends or delays the process of other people.

Source: docs/reference/bulk-sending.md §2; docs/reference/security.md §14.
"""

import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import BinaryIO

from config import limited
from config.limited import ProcessLimits, TookTooLong, TooLarge
from notifications.bulk_tables import uploads
from notifications.bulk_tables.columns import RECIPIENT_COLUMNS
from notifications.bulk_tables.tables import Table, UnreadableTable
from notifications.bulk_tables.written import read_table, write_table

IN_A_REQUEST = ProcessLimits(cpu_seconds=3, seconds=10)
IN_A_WORKER = ProcessLimits(cpu_seconds=60, seconds=120)


class TableTooLarge(UnreadableTable):
    """The file needs more memory than it may use."""

    text = "This file is too large to read. Delete rows and columns that you do not need, and try again."


class TableTookTooLong(UnreadableTable):
    """The file needs more time than it may use."""

    text = "This file takes too long to read. Delete what you do not need, or save it as CSV (UTF-8), and try again."


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTable:
    """The table of a file. unformatted: names of columns with numbers whose format is not known"""

    table: Table
    read_as: str
    unformatted: list[str]


def read(
    data: Iterable[bytes],
    *,
    limits: ProcessLimits,
    is_pasted: bool = False,
    expected: Collection[str] = RECIPIENT_COLUMNS,
) -> FileTable:
    """Read a file whose bytes come in parts.

    is_pasted: the file has cells that a person pasted, as UTF-8
    expected: names of columns, one of which the table should have

    Raises Unreadable and its subclasses.
    """
    rows: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  its lines are read later
    with tempfile.TemporaryFile() as file:
        file.writelines(data)
        try:
            read_as, unformatted = limited.run(
                _write_rows, is_pasted, tuple(expected), limits=limits, files=(file, rows)
            )
        except TooLarge as error:
            raise TableTooLarge from error
        except TookTooLong as error:
            raise TableTookTooLong from error
    return FileTable(table=read_table(rows), read_as=read_as, unformatted=unformatted)


def _write_rows(file: BinaryIO, rows: BinaryIO, is_pasted: bool, expected: tuple[str, ...]) -> tuple[str, list[str]]:
    """Write the table, and return how the file was read and which columns are unformatted."""
    read_file = uploads.from_pasted_file if is_pasted else uploads.from_file
    upload = read_file(file, expected=expected)
    write_table(upload.table, rows)
    names = upload.table.names
    return upload.read_as.value, [names[place] for place in sorted(upload.unformatted) if place < len(names)]
