"""The read-only pages of the audit: events as sentences, grouped by day."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from itertools import groupby
from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.accounts import scope
from config.audit.models import ActorKind, AuditEvent
from config.console import audit_sentences, cells
from config.console.admin.audit_filters import AuditFilters
from config.console.admin.columns import column
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.audit_sentences import AuditLine
from config.databases import keyset
from config.reading import read_moment, read_uuid

_THROUGH = {
    ActorKind.USER: "Console",
    ActorKind.KEY: "API key",
    ActorKind.TOKEN: "Access token",
    ActorKind.CLOCK: "System",
    ActorKind.COMMAND: "Command line",
}
_NEEDS_NO_KIND = {ActorKind.CLOCK, ActorKind.COMMAND}
_PAGE_SIZE = 50


@admin.register(AuditEvent)
class AuditEventAdmin(ConsoleModelAdmin):
    """All events for operators; for others the events of what they manage or own. Nobody can change or delete one."""

    may_add = may_change = has_history = False
    site_path: ClassVar[str] = "operations/audit/"
    list_display = ("when", "what", "made_through", "ip_address")
    fields = (
        "when",
        "what",
        "changes",
        "reason",
        "actor",
        "made_through",
        "ip_address",
        "whole_request_id",
        "object_page",
    )
    readonly_fields = fields
    ordering = ("-at",)

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return the events this person may read."""
        return super().get_queryset(request).filter(scope.audited(request))

    def title_of(self, request: HttpRequest, obj: Any) -> str:
        return audit_sentences.sentence(obj, audit_sentences.names_of([obj], self.titles_for(request)))

    def give_title(self, request: HttpRequest, obj: Any) -> None:
        """Also set the URL of the event's row, because the method that renders its cell gets no request."""
        super().give_title(request, obj)
        obj.object_url = self._url_of_object(request, obj)

    def _url_of_object(self, request: HttpRequest, event: AuditEvent) -> str:
        """Return the URL of the row, or "" if it was deleted, has no page, or is not visible to this person."""
        model = audit_sentences.model_of(event.object_kind)
        found = self.admin_site.get_model_admin(model) if model and self.admin_site.is_registered(model) else None
        if not isinstance(found, ConsoleModelAdmin):
            return ""
        row = found.get_object(request, event.object_id)
        return found.row_url(row) if row and found.has_view_or_change_permission(request, row) else ""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return scope.may_read_audit(request)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show a page of events grouped by day, newest first, paged by key and without a count."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        filters = AuditFilters(request)
        if set(request.GET) - {"before", *filters.fields}:
            raise SuspiciousOperation  # trap T2: accept only declared filters
        found = self.get_queryset(request).filter(filters.condition()).order_by("-at", "-id")
        before = _key(request.GET.get("before", ""))
        if before:
            found = found.filter(keyset.below(*before, fields=("at", "pk")))
        some = list(found[: _PAGE_SIZE + 1])
        events, is_more = some[:_PAGE_SIZE], len(some) > _PAGE_SIZE
        context = {
            **self.page_context(request, "Audit"),
            "days": _days(events, self.titles_for(request)),
            "filters": filters,
            "older": f"{events[-1].at.isoformat()}_{events[-1].pk}" if is_more else "",
            "zone": timezone.get_current_timezone_name(),
        }
        return TemplateResponse(request, "admin/audit.html", context)

    when = column("When", lambda event: cells.moment(event.at), ordering="at")
    whole_request_id = column("Request ID", lambda event: event.request_id or "–")
    made_through = column("Source", lambda event: _THROUGH[ActorKind(event.actor_kind)])

    @admin.display(description="Event")
    def what(self, event: AuditEvent) -> str:
        """Return the title that `give_title` set for this reader."""
        return str(getattr(event, "row_title", "") or audit_sentences.sentence(event))

    @admin.display(description="Object ID")
    def object_page(self, event: AuditEvent) -> SafeString | str:
        url = getattr(event, "object_url", "")
        return format_html('<a class="sb-link" href="{}">{}</a>', url, event.object_id) if url else event.object_id

    @admin.display(description="By")
    def actor(self, event: AuditEvent) -> str:
        kind = ActorKind(event.actor_kind)
        actor = audit_sentences.actor_of(event, audit_sentences.names_of([event]))
        if kind is ActorKind.USER:
            return actor if actor == event.actor_label else f"{actor}, user name {event.actor_label}"
        return actor if kind in _NEEDS_NO_KIND else f"{actor} ({kind.label})"

    @admin.display(description="Before and after")
    def changes(self, event: AuditEvent) -> SafeString | str:
        rows = audit_sentences.differences(event)
        if not rows:
            return "No details."
        return render_to_string("admin/includes/audit_changes.html", {"rows": rows})


def _days(events: Iterable[AuditEvent], shown: Callable[[models.Model], str]) -> list[tuple[date, list[AuditLine]]]:
    """Return each day in the console's time zone with its events as sentences."""
    lines = audit_sentences.lines(events, shown)
    return [(day, list(on_day)) for day, on_day in groupby(lines, key=lambda line: timezone.localdate(line.event.at))]


def _key(text: str) -> tuple[datetime, UUID] | None:
    """Return time and id of the event before which a page starts, or None for text in another form."""
    at, _, pk = text.partition("_")
    moment, identifier = read_moment(at), read_uuid(pk)
    return (moment, identifier) if moment and identifier else None
