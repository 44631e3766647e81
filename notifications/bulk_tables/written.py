"""Write a table to a file, a line of JSON for the names and for each row, and read it again a row at a time."""

from itertools import chain
from typing import BinaryIO

import msgspec

from config.limited import TooLarge
from notifications.bulk_tables.tables import Table

MAX_TABLE_BYTES = 256 * 1024 * 1024
MAX_TABLE_ROWS = 300_000  # three times as many as a bulk send takes; three million rows took 36 s to count


def write_table(table: Table, file: BinaryIO) -> None:
    """Raises TooLarge, and Unreadable for a row."""
    encoder, written = msgspec.json.Encoder(), 0
    for number, row in enumerate(chain([table.names], table.rows)):
        written += file.write(encoder.encode(row) + b"\n")
        if written > MAX_TABLE_BYTES or number > MAX_TABLE_ROWS:
            raise TooLarge
    file.flush()


def read_table(file: BinaryIO) -> Table:
    file.seek(0)
    decode = msgspec.json.Decoder().decode
    return Table(names=decode(file.readline()), rows=map(decode, file))
