"""Download the results or the bad rows of a bulk send. Each download is audited with the number of its rows.

Source: docs/reference/console.md §3.4.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from config import formats
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.downloads import file_response
from notifications.admin.bulk_sends import bad_rows, results
from notifications.models import BulkRow, BulkSend, BulkTable
from notifications.models.bulk_row import RowState

_BAD_ROWS = "Download the bad rows"
_AUDITED = "The audit records who has downloaded it."


class Downloads(ConsoleModelAdmin):
    """GET explains what the file contains, POST returns it."""

    row_actions = {"results": "results", "bad-rows": "bad_rows"}

    def results(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponseBase:
        number = BulkRow.objects.filter(bulk_send=bulk_send).count()
        if request.method == "POST":
            self.audit(request, "downloaded_results_of", bulk_send, after={"rows": number})
            table = BulkTable.objects.filter(pk=bulk_send.pk).first()
            return results.stream(bulk_send, table.names if table else bulk_send.names)
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
        explanation = [f"The CSV file has {formats.counted(number, 'row')}, with recipients. {_AUDITED}"]
        return self.action_page(request, bulk_send, title=title, button=title, explanation=explanation, leave="Back")
