"""The list of bulk sends and the routes of their pages. Source: docs/reference/console.md §3.4."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from config.page_bodies import takes_files
from notifications.admin import permissions
from notifications.admin.bulk_sends import downloads, page
from notifications.admin.bulk_sends.actions import BulkSendActions
from notifications.admin.bulk_sends.check_page import CheckPage
from notifications.admin.bulk_sends.columns import ColumnsPage
from notifications.admin.bulk_sends.upload import UploadPage
from notifications.admin.service_rows import OwnRowsFilter, ServiceRowAdmin
from notifications.models import BulkSend, BulkState, BulkTable, Role
from notifications.models.bulk_send import MOVING

_MOVING = [state.value for state in MOVING if state is not BulkState.SCHEDULED]


_STATE_FILTER = choice_filter(
    "state",
    {
        "draft": ("Draft", by(Q(state=BulkState.DRAFT))),
        "scheduled": ("Scheduled", by(Q(state=BulkState.SCHEDULED))),
        "sending": ("Sending", by(Q(state__in=_MOVING))),
        "paused": ("Paused", by(Q(state=BulkState.PAUSED))),
        "finished": ("Finished", by(Q(state=BulkState.FINISHED))),
        "cancelled": ("Cancelled", by(Q(state=BulkState.CANCELLED))),
    },
)


@admin.register(BulkSend)
class BulkSendAdmin(BulkSendActions, downloads.Downloads, ServiceRowAdmin):
    """Bulk sends: people who may send make and change them; others of the service follow them."""

    page_template = "admin/notifications/bulk_send.html"
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.SEND_MESSAGES})
    list_display = ("named", "shown_state", "progress", "left_out_rows", "created")
    list_display_links = ("named",)
    list_filter = (_STATE_FILTER, ("template", OwnRowsFilter), "channel", "origin")
    list_select_related = ("service", "template", "api_key")
    ordering = ("-created_at", "-id")
    sortable_by = ()
    search_fields = ()
    empty = "No bulk sends yet. A bulk send sends one template to every row of a spreadsheet."
    row_actions = {
        **BulkSendActions.row_actions,
        **downloads.Downloads.row_actions,
        "columns": "columns_step",
        "check": "check_step",
    }
    read_only_actions = frozenset({"check"})
    list_pages = {"example": "example"}

    class Media:
        css = {"all": ("notifications/messages.css", "notifications/log.css", "notifications/bulk.css")}

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        """Reserve files with recipients for people who may see recipients."""
        if word not in downloads.Downloads.row_actions:
            return super().may_do(request, word, obj)
        return permissions.may_see_recipients(request, obj.service_id) and self.has_view_permission(request, obj)

    # Pages

    @takes_files
    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return UploadPage(self, request).answer()

    def example(self, request: HttpRequest) -> HttpResponseBase:
        return UploadPage(self, request).example()

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the page of a bulk send, or the step at which a draft is."""
        bulk_send: Any = self._row_or_404(request, object_id)
        if bulk_send.state != BulkState.DRAFT:
            return super().change_view(request, object_id, *args, **kwargs)
        is_started = BulkTable.objects.filter(pk=bulk_send.pk).exclude(checking=None).exists()
        shows_check = is_started or not self.has_change_permission(request, bulk_send)
        return HttpResponseRedirect(self.url_of("check" if shows_check else "columns", bulk_send))

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        return page.context(request, obj)

    def columns_step(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        return self._step(ColumnsPage, request, bulk_send)

    def check_step(self, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        return self._step(CheckPage, request, bulk_send)

    def _step(self, page: Any, request: HttpRequest, bulk_send: BulkSend) -> HttpResponse:
        """Show a step of a draft, or the page of a bulk send that has been sent."""
        if bulk_send.state != BulkState.DRAFT:
            return HttpResponseRedirect(self.row_url(bulk_send))
        tables = BulkTable.objects.select_related("bulk_send__template", "bulk_send__service")
        answer: HttpResponse = page(self, request, get_object_or_404(tables, pk=bulk_send.pk)).answer()
        return answer

    def upload_url(self, bulk_send: BulkSend) -> str:
        chosen = {"language": bulk_send.language} if bulk_send.language else {}
        parameters = urlencode({"template": bulk_send.template_id, **chosen})
        return f"{reverse('admin:notifications_bulksend_add')}?{parameters}"

    # Columns

    @admin.display(description="State")
    def shown_state(self, bulk_send: BulkSend) -> SafeString:
        when = bulk_send.scheduled_for if bulk_send.state == BulkState.SCHEDULED else None
        return cells.two_lines(page.chip(bulk_send), formats.spoken(when) if when else "")

    @admin.display(description="Messages")
    def progress(self, bulk_send: BulkSend) -> str:
        if bulk_send.state == BulkState.DRAFT:
            return "–"
        return f"{formats.number(bulk_send.messages)} of {formats.number(bulk_send.row_count)}"

    named = column("Name", lambda row: cells.two_lines(row.name, f"{row.template} ({row.get_channel_display()})"))
    left_out_rows = column("Left out", lambda row: formats.number(row.left_out) if row.left_out else "–")
    created = column("Created", lambda row: cells.moment_by(row.created_at, row.author))
