"""The rows of a checked table that have errors: a page of them, and a file to correct them in.

Source: docs/reference/console.md §3.4.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from config.audit.masking import mask
from config.databases.streaming import streamed
from config.spreadsheets import csv_line
from notifications.bulk_tables.columns import is_recipient_column
from notifications.models import BulkRow, BulkSend, BulkTable
from notifications.models.bulk_row import RowState

ROWS_A_PAGE = 20
HIDDEN = "[hidden]"
_ROW, _REASON = "row", "problem"
_ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class BadCell:
    """One error of a row. column: as the table spells it; blank if the error concerns the whole row"""

    row: int
    column: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRowsPage:
    """The errors of some rows. next_after: the row after which the next page begins, or None"""

    cells: list[BadCell]
    next_after: int | None


def page(table: BulkTable, *, after: int, sees_recipients: bool) -> BadRowsPage:
    """Return the errors of the rows after a row."""
    rows = list(_bad_rows(table.bulk_send).filter(number__gt=after)[: ROWS_A_PAGE + 1])
    spelled = table.spelled()
    found = [cell for row in rows[:ROWS_A_PAGE] for cell in _bad_cells(row, table, spelled, sees_recipients)]
    has_more = len(rows) > ROWS_A_PAGE
    return BadRowsPage(cells=found, next_after=rows[ROWS_A_PAGE - 1].number if has_more else None)


def lines(table: BulkTable) -> Iterator[bytes]:
    """Return the bad rows as CSV: their cells, row number and errors. A corrected file can be uploaded again."""
    width = len(table.names)
    is_hidden = table.bulk_send.template.redact_personalisation
    spelled = table.spelled()
    yield csv_line([*table.names, _ROW, _REASON]).encode("utf-8-sig")
    for row in streamed(_bad_rows(table.bulk_send), chunk_size=_ROWS_AT_ONCE):
        cells = [text_of(cell) for cell in row.cells[:width]]
        if is_hidden:
            cells = [
                cell if is_recipient_column(name) else HIDDEN for name, cell in zip(table.names, cells, strict=True)
            ]
        said = "; ".join(
            f"{spelled.get(error['column'], error['column'])}: {error['message']}"
            if error["column"] is not None
            else error["message"]
            for error in row.errors or ()
        )
        yield csv_line([*cells, row.number, said]).encode()


def _bad_rows(bulk_send: BulkSend) -> QuerySet[BulkRow]:
    return BulkRow.objects.filter(bulk_send=bulk_send, state=RowState.LEFT_OUT).order_by("number")


def _bad_cells(row: BulkRow, table: BulkTable, spelled: Mapping[str, str], sees_recipients: bool) -> Iterator[BadCell]:
    names = table.bulk_send.names
    for error in row.errors or ():
        column = error["column"]
        value = text_of(row.cells[names.index(column)]) if column in names else ""
        if column is not None and is_recipient_column(column):
            value = value if sees_recipients or not value else mask(value)
        elif value and table.bulk_send.template.redact_personalisation:
            value = HIDDEN
        yield BadCell(row=row.number, column=spelled.get(column, column or ""), value=value, reason=error["message"])


def text_of(cell: object) -> str:
    return ", ".join(map(str, cell)) if isinstance(cell, list) else str(cell or "")
