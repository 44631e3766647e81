"""A sheet of a spreadsheet while it is read, and how its dates and times print."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from config.workbooks.sheets import SheetPart, SheetRow
from notifications.bulk_tables.tables import Cell, UnreadableTable


class HasHiddenCells(UnreadableTable):
    """The sheet has hidden rows or columns: a filter may hide people who must get nothing."""

    kind = "hidden"
    text = "This file has hidden rows or columns. Show or delete them, then upload it again."


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The rows of a sheet with their numbers, which can be read once, from first to last. Blank rows may be left out.

    unformatted: the positions of cells whose format is not known, complete after the last row
    """

    rows: Iterator[tuple[int, list[Cell]]]
    unformatted: set[int] = field(default_factory=set)


def visible_rows(rows: Iterable[SheetRow], part: SheetPart) -> Iterator[tuple[int, list[Cell]]]:
    """Yield the rows of a part without the empty cells at their ends, which often have a format only.

    Raises HasHiddenCells.
    """
    for row in rows:
        if part.hides:
            raise HasHiddenCells
        while row.cells and not row.cells[-1]:
            row.cells.pop()
        yield row.number, row.cells
    if part.hides:
        raise HasHiddenCells


def printed_moment(value: datetime) -> str:
    """Return `2026-11-20` at midnight, or else `2026-11-20 09:05`."""
    return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d} {printed_time(value.time())}"


def printed_time(value: time) -> str:
    """Return `09:05`, or `09:05:30` if there are seconds."""
    return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"


def printed_duration(value: timedelta) -> str:
    """Return hours and minutes, and seconds if there are any.

    >>> printed_duration(timedelta(hours=26, minutes=5)), printed_duration(timedelta(minutes=-90, seconds=-5))
    ('26:05', '-01:30:05')
    """
    minutes, seconds = divmod(round(abs(value.total_seconds())), 60)
    printed = f"{minutes // 60:02}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    return f"-{printed}" if value < timedelta() else printed
