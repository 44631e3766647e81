"""Unsubscribe requests: the read-only list, one request, marking as done, and the download."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from config import formats
from config.console import cells
from config.console.admin import many_rows
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from config.console.admin.row_actions import Button
from config.console.sections import Fact, Section
from notifications.admin import permissions
from notifications.admin.list_download import DownloadAdmin, ListDownload
from notifications.admin.service_rows import OwnRowsFilter
from notifications.admin.unsubscribe_requests import marking
from notifications.admin.unsubscribe_requests.one_click_pages import LIST, OneClickPages
from notifications.models import Notification, Role, UnsubscribeRequest

_TAKE_OFF = (
    "Mark a request as done when you have taken the recipient off your list. "
    "Signalbox suppresses them only for emails from which people can unsubscribe."
)


_STATE_FILTER = choice_filter(
    "state", {"waiting": ("Waiting", by(Q(done_at=None))), "done": ("Done", by(~Q(done_at=None)))}
)


@admin.register(UnsubscribeRequest)
class UnsubscribeRequestAdmin(OneClickPages, DownloadAdmin):
    """Requests of recipients. Members who send messages or manage the service mark them as done."""

    may_add = False
    shows_recipients = True
    page_template = "admin/sections.html"
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.SEND_MESSAGES, Role.MANAGE_SERVICE})
    list_display = ("asked", "to_whom", "of_template", "sent", "state")
    list_filter = (_STATE_FILTER, ("template", OwnRowsFilter))
    list_select_related = ("service", "template")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    sortable_by = ()
    list_download = ListDownload(
        noun="unsubscribe request",
        audit_verb="downloaded_unsubscribe_requests",
        columns={
            "Requested at (UTC)": "created_at",
            "Email address": "recipient",
            "Service": "service__name",
            "Template": "template__name",
            "Template id": "template_id",
            "Email sent at (UTC)": "email_created_at",
            "Message id": "notification_id",
            "Done at (UTC)": "done_at",
            "Done by": "done_by",
        },
        recipient="recipient",
    )
    list_pages = {**OneClickPages.list_pages, **DownloadAdmin.list_pages}
    row_actions = {"done": "mark_done"}
    actions = ("mark_chosen_done",)
    empty = "No unsubscribe requests. One appears here when a recipient confirms that they want no more emails."

    # Pages

    def list_buttons(self, request: HttpRequest, changelist: Any) -> list[Button]:
        one_click = Button("One-click unsubscribe URLs", url=self.url_of(LIST))
        return [*super().list_buttons(request, changelist), one_click]

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return [Button("Mark as done…", "done")] if obj.done_at is None else []

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        return {"sections": [Section(slug="request", title="Request", facts=self._facts(obj))]}

    # Steps

    def mark_done(self, request: HttpRequest, row: UnsubscribeRequest) -> HttpResponse:
        title = "Mark this request as done"
        if row.done_at is not None:
            error = f"{row.done_by or 'Somebody'} marked this request as done {formats.on(row.done_at)}."
            return self.error_page(request, row, title, error)
        if request.method == "POST":
            many_rows.do_one(request, marking.KIND, row)
            return self.action_done(request, self.row_url(row), "The request is marked as done.")
        asked = f"{self.to_whom(row)} unsubscribed {formats.on(row.created_at)}."
        email = f"The request is about “{row.template.name}”, sent {formats.on(row.email_created_at)}."
        deleted = f"Signalbox deletes the request {row.service.unsubscribe_request_days} days later."
        explanation = [f"{asked} {email}", _TAKE_OFF, deleted]
        return self.action_page(request, row, title, "Mark as done", explanation)

    @admin.action(description="Mark as done…", permissions=["change"])
    def mark_chosen_done(self, request: HttpRequest, chosen: QuerySet[UnsubscribeRequest]) -> HttpResponse:
        return many_rows.confirm(
            self,
            request,
            self.changeable(request, chosen).filter(done_at=None).order_by("-created_at", "-id"),
            marking.KIND,
            title="Mark unsubscribe requests as done",
            button=lambda number: f"Mark {formats.counted(number, 'request')} as done",
            nothing="All of these requests are already done.",
            explanation=[_TAKE_OFF],
            columns=("Recipient", "Template", "Requested"),
            cells=lambda rows: [(self.to_whom(row), row.template.name, formats.spoken(row.created_at)) for row in rows],
        )

    # Columns

    asked = column("Requested", lambda row: permissions.titled(row, cells.moment(row.created_at)))
    to_whom = column("Recipient", lambda row: cells.breakable(permissions.shown_recipient(row, row.recipient)))
    of_template = column("Template", lambda row: row.template.name)
    sent = column("Email sent", lambda row: cells.moment(row.email_created_at))
    state = column("State", lambda row: cells.chip("Done", "good") if row.done_at else cells.chip("Waiting", "warn"))

    def _facts(self, row: UnsubscribeRequest) -> tuple[Fact, ...]:
        message = Notification.objects.filter(pk=row.notification_id, created_at__gte=row.service.kept_since()).exists()
        message_url = reverse("admin:notifications_notification_change", args=[row.notification_id])
        template_url = reverse("admin:notifications_template_change", args=[row.template_id])
        remark = _TAKE_OFF
        if row.done_at is not None:
            by = formats.spoken(row.done_at) + (f" by {row.done_by}" if row.done_by else "")
            remark = f"{by}. Signalbox deletes the request {row.service.unsubscribe_request_days} days later."
        return (
            Fact("Recipient", self.to_whom(row)),
            Fact("Requested", cells.moment(row.created_at)),
            Fact("Template", row.template.name, link=("Open the template", template_url)),
            Fact(
                "Email sent",
                cells.moment(row.email_created_at),
                "" if message else "The message is already deleted.",
                link=("Open the message", message_url) if message else None,
            ),
            Fact("State", self.state(row), remark),
        )
