"""The read-only list of who opened which message, file or record, or searched for one person."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.accounts import scope
from config.audit.reads import ReadEvent
from config.console import audit_sentences, cells
from config.console.admin.columns import column
from config.console.admin.filters import by, choice_filter
from config.console.admin.model_admin import ConsoleModelAdmin

SHOWN_CHARACTERS = 8  # of an id


_KIND_FILTER = choice_filter(
    "kind",
    {
        "notification": ("Messages", by(Q(object_kind="notification"))),
        "receivedemail": ("Received emails", by(Q(object_kind="receivedemail"))),
        "receivedtext": ("Received texts", by(Q(object_kind="receivedtext"))),
        "attachment": ("Files", by(Q(object_kind="attachment"))),
        "record": ("Records", by(Q(object_kind="record"))),
        "person": ("One person", by(Q(object_kind__in=["person", "person_export"]))),
    },
)


@admin.register(ReadEvent)
class ReadEventAdmin(ConsoleModelAdmin):
    """Operators see all entries; others those of the services and data sets that they manage."""

    may_add = may_change = has_history = False
    site_path: ClassVar[str] = "operations/reads/"
    list_display = ("opened", "reader", "what", "ip_address", "short_request_id")
    fields = readonly_fields = ("opened", "reader", "what", "ip_address", "whole_request_id")
    list_filter = (_KIND_FILTER,)
    sortable_by = ()
    empty = "Nobody has opened a message, a file or a record in the last 90 days."

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(scope.audited(request))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return scope.may_read_audit(request)

    opened = column(
        "Opened", lambda entry: cells.named(cells.moment(entry.at), f"{entry.user_label}, {entry.object_id[:8]}")
    )
    reader = column("Person", lambda entry: entry.user_label)
    whole_request_id = column("Request ID", lambda entry: entry.request_id or "–")
    short_request_id = column("Request", lambda entry: cells.code(entry.request_id[:SHOWN_CHARACTERS] or "–"))

    @admin.display(description="Opened page")
    def what(self, entry: ReadEvent) -> SafeString:
        kind = audit_sentences.kind_of(entry.object_kind)
        title = format_html("{} {}", f"{kind[:1].upper()}{kind[1:]}", cells.code(entry.object_id[:SHOWN_CHARACTERS]))
        model = audit_sentences.model_of(entry.object_kind)
        if model is None or not self.admin_site.is_registered(model):  # a record opens from its data set only
            return title
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[entry.object_id])
        return format_html('<a class="sb-link" href="{}">{}</a>', url, title)
