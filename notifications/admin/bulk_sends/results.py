"""The result of every row of a bulk send as a streamed CSV file.

Source: docs/reference/console.md §3.4.
"""

from collections.abc import Iterator

from django.http import StreamingHttpResponse

from config.console.downloads import file_response
from config.databases.streaming import streamed
from config.spreadsheets import csv_line
from notifications.admin.bulk_sends.bad_rows import HIDDEN, text_of
from notifications.admin.list_download import moment
from notifications.bulk_tables.columns import is_recipient_column
from notifications.models import BulkRow, BulkSend
from notifications.models.bulk_row import RowState

_COLUMNS = ("row", "status", "time (UTC)", "message id")
_ROWS_AT_ONCE = 500
_STATES = {  # of rows without a message
    RowState.WAITING: "waiting",
    RowState.CANCELLED: "cancelled",
    RowState.SIMULATED: "simulated recipient, not sent",
    RowState.REPEAT: "repeat of an earlier message, not sent",
    RowState.LEFT_OUT: "left out",
}


def stream(bulk_send: BulkSend, names: list[str]) -> StreamingHttpResponse:
    """Return the file. names: the column names as the table spells them"""
    return file_response(f"results-{str(bulk_send.pk)[:8]}.csv", _lines(bulk_send, names))


def _lines(bulk_send: BulkSend, names: list[str]) -> Iterator[bytes]:
    yield csv_line([_COLUMNS[0], *names, *_COLUMNS[1:]]).encode("utf-8-sig")
    rows = BulkRow.objects.filter(bulk_send=bulk_send).order_by("number")
    columns = ("number", "cells", "state", "notifications__id", "notifications__status", "notifications__completed_at")
    hides = [bulk_send.template.redact_personalisation and not is_recipient_column(name) for name in names]
    found = streamed(rows.values_list(*columns), chunk_size=_ROWS_AT_ONCE)
    for number, cells, state, message_id, status, at in found:
        shown = [HIDDEN if is_hidden else text_of(cell) for cell, is_hidden in zip(cells, hides, strict=False)]
        words = status or _STATES.get(state, state)
        yield csv_line([number, *shown, words, moment(at), message_id and str(message_id)]).encode()
