"""The read-only list of a template's versions and drafts, newest first. Source: docs/reference/console.md §2.4."""

from typing import Any

from django.contrib import admin
from django.db.models import F
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import formats
from config.console import cells
from config.console.admin import ConsoleInline
from config.console.admin.columns import column
from notifications.models import Template, TemplateVersion, VersionState
from notifications.submission import kept_use

_SHOWN = 100
_STATES = {
    VersionState.DRAFT: ("Draft", "accent"),
    VersionState.TEST: ("Test keys only", "accent"),
    VersionState.REPLACED: ("Not published", ""),
}


class VersionInline(ConsoleInline):
    model = TemplateVersion
    fields = ("version", "author", "created", "change_note", "messages", "look")
    readonly_fields = (*fields, "restore")
    verbose_name_plural = "Versions"
    tab = True
    first_tab = "Template"  # the name of the tab beside this one
    hide_title = True

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return the newest versions without their texts, which may have 2 MB each."""
        oldest_shown = F("template__current_version") - _SHOWN + 1
        return super().get_queryset(request).filter(number__gte=oldest_shown).defer("subject", "content")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show the links that restore versions to people who may change the template."""
        may_change = admin.site.get_model_admin(Template).has_change_permission(request, obj)
        return (*self.fields, "restore") if may_change else self.fields

    @admin.display(description="Version")
    def version(self, version: TemplateVersion) -> SafeString | str:
        title, tone = _STATES.get(VersionState(version.state), ("", ""))
        if version.number == version.template.current_version:
            title, tone = "In use", "good"
        return format_html("{} {}", version.number, cells.chip(title, tone)) if title else str(version.number)

    author = column("Saved by", lambda version: cells.author(version.created_by) or "–")
    created = column("Saved", lambda version: cells.moment(version.created_at))
    change_note = column("Note", lambda version: version.note or "–")

    @admin.display(description="Stored messages")
    def messages(self, version: TemplateVersion) -> str:
        sent, is_whole = _sent(version.template)
        number = formats.number(sent[version.number])
        return number if is_whole else f"{number} of the newest {formats.number(kept_use.MOST)}"

    @admin.display(description="View")
    def look(self, version: TemplateVersion) -> SafeString:
        url = reverse("admin:notifications_template_version", args=[version.template_id])
        compare = reverse("admin:notifications_template_compare", args=[version.template_id])
        return format_html(
            '<a class="sb-link" href="{}?number={}">View version {}</a><br>'
            '<a class="sb-link" href="{}?to={}">Compare version {}</a>',
            *(url, version.number, version.number, compare, version.number, version.number),
        )

    @admin.display(description="Restore")
    def restore(self, version: TemplateVersion) -> SafeString | str:
        newest = _newest_number(version.template)
        if version.number == newest:
            return "–"
        url = reverse("admin:notifications_template_restore-draft", args=[version.template_id])
        return format_html(
            '<a class="sb-link" href="{}?number={}">Restore version {} as draft</a>', url, *2 * [version.number]
        )


def _newest_number(template: Any) -> int:
    """Return the number of the version that the editor shows, read once for all rows of a page."""
    known: int | None = getattr(template, "newest_number", None)
    if known is None:
        known = template.newest_number = template.newest().number
    return known


def _sent(template: Template) -> Any:
    """Return the messages of each version, counted once for all rows of a page."""
    known = getattr(template, "sent_by_version", None)
    if known is None:
        known = template.sent_by_version = kept_use.messages_by_version(template)  # type: ignore[attr-defined]
    return known
