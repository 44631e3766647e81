"""The audit trail, read-only. Source: Staff console §2.18."""

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from config.console import cells, words
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.models import ActorKind, AuditEvent

_THROUGH = {
    ActorKind.USER: "Console",
    ActorKind.KEY: "API key",
    ActorKind.TOKEN: "Access token",
    ActorKind.CLOCK: "Clock",
    ActorKind.COMMAND: "Command line",
}


@admin.register(AuditEvent)
class AuditEventAdmin(ConsoleModelAdmin):
    """Operators read here who did what; nobody writes, changes or deletes."""

    list_display = ("when", "what", "made_through", "network_address")
    list_filter = ("actor_kind", "verb")
    date_hierarchy = None
    fields = ("when", "what", "changes", "reason", "actor", "network_address", "request_id", "object_id")
    readonly_fields = fields
    ordering = ("-at",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    @admin.display(description="When", ordering="at")
    def when(self, event: AuditEvent) -> SafeString | str:
        return cells.moment(event.at)

    @admin.display(description="What")
    def what(self, event: AuditEvent) -> str:
        return words.sentence(event)

    @admin.display(description="Through")
    def made_through(self, event: AuditEvent) -> str:
        return _THROUGH[ActorKind(event.actor_kind)]

    @admin.display(description="By")
    def actor(self, event: AuditEvent) -> str:
        return f"{event.actor_label} ({ActorKind(event.actor_kind).label})"

    @admin.display(description="Before and after")
    def changes(self, event: AuditEvent) -> SafeString | str:
        rows = words.differences(event)
        if not rows:
            return "Nothing but the deed itself."
        body = format_html_join("", "<tr><th>{}</th><td>{}</td><td>{}</td></tr>", [_cells(row) for row in rows])
        return format_html(
            '<table class="sb-table"><thead><tr><th>Field</th><th>Before</th><th>After</th></tr></thead>'
            "<tbody>{}</tbody></table>",
            body,
        )


def _cells(row: tuple[str, Any, Any]) -> tuple[str, Any, Any]:
    field, before, after = row
    return field, "–" if before in (None, "") else before, "–" if after in (None, "") else after
