"""Download the results or the bad rows of a bulk send. Each download is audited with the number of its rows.

Source: docs/reference/console.md §3.4.
"""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from config import formats
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.pages import file_response
from config.databases.streaming import streamed
from config.spreadsheets import csv_line
from notifications.admin.bulk_sends import bad_rows
from notifications.admin.list_download import moment
from notifications.bulk_tables.columns import is_recipient_column
from notifications.models import BulkRow, BulkSend, BulkTable
from notifications.models.bulk_row import RowState

_BAD_ROWS = "Download the bad rows"
_COLUMNS = ("row", "status", "time (UTC)", "message id")
_ROWS_AT_ONCE = 500
_STATES = {  # of rows without a message
    RowState.WAITING: "waiting",
    RowState.CANCELLED: "cancelled",
    RowState.SIMULATED: "simulated recipient, not sent",
    RowState.REPEAT: "repeat of an earlier message, not sent",
    RowState.LEFT_OUT: "left out",
}


class Downloads(ConsoleModelAdmin):
    """GET explains what the file contains, POST returns it."""

    row_actions = {"results": "results", "bad-rows": "bad_rows"}

    def results(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponseBase:
        number = BulkRow.objects.filter(bulk_send=bulk_send).count()
        if request.method == "POST":
            self.audit(request, "downloaded_results_of", bulk_send, after={"rows": number})
            table = BulkTable.objects.filter(pk=bulk_send.pk).first()
            lines = _results(bulk_send, table.names if table else bulk_send.names)
            return file_response(f"results-{str(bulk_send.pk)[:8]}.csv", lines)
        return self._explained(request, bulk_send, "Download results", number)

    def bad_rows(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponseBase:
        number = BulkRow.objects.filter(bulk_send=bulk_send, state=RowState.LEFT_OUT).count()
        if not number:
            return self.error_page(
                request, bulk_send, _BAD_ROWS, "No row was left out, so there is nothing to download."
            )
        if request.method == "POST":
            self.audit(request, "downloaded_bad_rows_of", bulk_send, after={"rows": number})
            table = BulkTable.objects.select_related("bulk_send__template").get(pk=bulk_send.pk)
            return file_response("bad-rows.csv", bad_rows.lines(table))
        return self._explained(request, bulk_send, _BAD_ROWS, number)

    def _explained(self, request: HttpRequest, bulk_send: BulkSend, title: str, number: int) -> HttpResponse:
        rows = formats.counted(number, "row")
        explanation = [f"The CSV file has {rows}, with recipients. The audit records who has downloaded it."]
        return self.action_page(request, bulk_send, title, title, explanation, leave="Back")


def _results(bulk_send: BulkSend, names: list[str]) -> Iterator[bytes]:
    """Yield the result of every row as a line of CSV. names: the column names as the table spells them"""
    yield csv_line([_COLUMNS[0], *names, *_COLUMNS[1:]]).encode("utf-8-sig")
    rows = BulkRow.objects.filter(bulk_send=bulk_send).order_by("number")
    columns = ("number", "cells", "state", "notifications__id", "notifications__status", "notifications__completed_at")
    hides = [bulk_send.template.redact_personalisation and not is_recipient_column(name) for name in names]
    found = streamed(rows.values_list(*columns), chunk_size=_ROWS_AT_ONCE)
    for number, cells, state, message_id, status, at in found:
        pairs = zip(cells, hides, strict=False)
        shown = [bad_rows.HIDDEN if is_hidden else bad_rows.text_of(cell) for cell, is_hidden in pairs]
        words = status or _STATES.get(state, state)
        yield csv_line([number, *shown, words, moment(at), message_id and str(message_id)]).encode()
