"""The list of conversations, and one conversation. Source: docs/reference/inbox.md §1, §2."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from config.console import cells
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from notifications.admin import permissions
from notifications.admin.list_download import ListDownload
from notifications.admin.received_rows import ReceivedRowAdmin
from notifications.admin.received_texts import thread
from notifications.models import Channel, KeyType, Notification, ReceivedText, Role, Suppression
from notifications.recipients import phone
from notifications.submission import text_keywords

_FIRST_CHARACTERS = 80
# A test has not reached its recipient.
_LATER = Notification.objects.filter(
    normalised_recipient=OuterRef("user_number"),
    service=OuterRef("service"),
    channel=Channel.SMS,
    created_at__gt=OuterRef("created_at"),
).exclude(key_type=KeyType.TEST)
_IS_ANSWERED = Exists(_LATER)
_STATE_FILTER = choice_filter(
    "state", {"waiting": ("Not answered", by(~Q(_IS_ANSWERED))), "answered": ("Answered", by(Q(_IS_ANSWERED)))}
)


@admin.register(ReceivedText)
class ReceivedTextAdmin(ReceivedRowAdmin):
    """Received texts are read-only. The list has the newest text of each sender, its page the whole conversation."""

    page_template = "admin/notifications/conversation.html"
    list_filter = (_STATE_FILTER,)
    list_download = ListDownload(
        noun="received text",
        audit_verb="downloaded_received_texts",
        columns={
            "Received at (UTC)": "created_at",
            "From": "user_number",
            "To": "notify_number",
            "Text": "content",
            "Service": "service__name",
            "Id": "id",
        },
        recipient="user_number",
    )
    search_kind, search_column = "received-texts", "user_number"
    search_label, search_title = "Phone number", "phone number"
    empty = "No received texts. Texts that people send to a phone number of the service appear here."

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(is_answered=_IS_ANSWERED)

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        return super().listed(request, rows).newest_of_senders()

    def downloaded(self, request: HttpRequest, found: Any) -> Any:
        """Return all texts of the conversations in the list."""
        of_list = found.order_by().filter(service=OuterRef("service"), user_number=OuterRef("user_number"))
        rows = self.get_queryset(request).filter(Exists(of_list)).order_by(*self.ordering)
        return super().downloaded(request, rows)

    # Pages

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        entries, older = thread.of(obj, before=request.GET.get(thread.BEFORE, ""))
        may_send = permissions.may_in(request, obj.service_id, [Role.SEND_MESSAGES]) and obj.service.active
        send_url = reverse("admin:notifications_notification_send")
        return {
            "sender": permissions.shown_recipient(obj, obj.user_number),
            "entries": entries,
            "older_url": f"?{urlencode({thread.BEFORE: older})}" if older else "",
            "newest_url": self.row_url(obj) if thread.BEFORE in request.GET else "",
            "reply_url": f"{send_url}?{urlencode({'reply_to': obj.pk})}" if may_send else "",
            "suppression": self._suppression(request, obj),
        }

    def _suppression(self, request: HttpRequest, text: ReceivedText) -> dict[str, str] | None:
        """Return why the service sends no texts to this number, with the URL of the suppression, or None."""
        active = Suppression.objects.active().of_recipient(text.user_number)
        stopping = active.filter(Q(service=text.service) | Q(service=None), channel=Channel.SMS)
        row = stopping.order_by("created_at").first()
        if row is None:
            return None
        may_open = self.admin_site.get_model_admin(Suppression).has_view_permission(request, row)
        url = reverse("admin:notifications_suppression_change", args=[row.pk])
        return {"reason": row.get_reason_display(), "url": url if may_open else ""}

    # Columns

    from_whom = column(
        "From",
        lambda text: cells.two_lines(
            permissions.shown_recipient(text, text.user_number), f"to {phone.displayed(text.notify_number)}"
        ),
    )
    said = column("Newest text", lambda text: Truncator(" ".join(text.content.split())).chars(_FIRST_CHARACTERS))

    @admin.display(description="State")
    def state(self, text: Any) -> SafeString:  # Any: a text with its annotation
        if text_keywords.find(text.content) is not None:
            return cells.chip("Keyword")
        return cells.chip("Answered", "good") if text.is_answered else cells.chip("Not answered", "warn")
