"""Templates: the list and the editor. Each saved change creates a version or a draft; their texts never change.

Source: docs/reference/console.md §2.4.
"""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import F, Prefetch, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import audit, formats
from config.console import cells
from config.console.admin.columns import column
from config.console.admin.row_actions import methods
from config.reading import read_uuid
from notifications.admin import permissions
from notifications.admin.service_rows import posted
from notifications.admin.templates import languages, preview, samples, tags
from notifications.admin.templates.drafts import editor_of, named_version
from notifications.admin.templates.files import FilesAdmin
from notifications.admin.templates.forms import TemplateForm
from notifications.admin.templates.use import UNUSED_FILTER, WAITING_FILTER, InUseFilter, with_use
from notifications.admin.templates.versions import VersionInline
from notifications.models import Channel, Role, Template, TemplateVersion, VersionState
from notifications.rendering import placeholders
from notifications.submission.templates import changing, examples

_OPTIONS = ("tags", "respect_quiet_hours", "redact_personalisation", "note", "based_on")
_TEXT_FIELDS = ("name", "content", "language", *_OPTIONS)
_EMAIL_FIELDS = ("name", "subject", "content", "language", "unsubscribe_link", *_OPTIONS)
_CHIPS_SHOWN = 12


@admin.register(Template)
class TemplateAdmin(FilesAdmin):
    form = TemplateForm
    view_roles = frozenset({Role.SEE_ACTIVITY})
    change_roles = frozenset({Role.EDIT_TEMPLATES})
    inlines = (VersionInline,)
    guards_start = False  # its form carries the version it is based on
    opens_new_row = True
    list_display = ("called", "channel", "placeholders", "in_a_week", "used", "changed", "id_to_copy")
    list_filter = ("type", tags.TagFilter, InUseFilter, WAITING_FILTER, UNUSED_FILTER)
    search_fields = ("name",)
    search_help_text = "Name or ID"
    row_actions = {
        **methods("archive", "restore", "compare", "copy", "files", "remove-file", "publish", "discard"),
        "version": "version_page",
        "restore-draft": "restore_as_draft",
    }
    read_only_actions = frozenset({"version", "compare"})
    list_pages = {"preview": "preview"}
    change_form_template = "admin/notifications/template_change_form.html"
    change_list_template = "admin/notifications/template_list.html"
    empty = "No templates yet. A template is the text people receive; ((name)) marks what the caller fills in."

    class Media:
        css = {"all": ("notifications/messages.css",)}

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("service", "type", *_EMAIL_FIELDS)
        return _EMAIL_FIELDS if obj.type == Channel.EMAIL else _TEXT_FIELDS

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Separate the text from its options, with the example values between them."""
        fields = self.get_fields(request, obj)
        after_text = fields.index("language") + 1
        return ((None, {"fields": fields[:after_text]}), (None, {"fields": fields[after_text:]}))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return no field: the form itself leaves out the fixed fields, service and type."""
        return ()

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return () if obj is None else self.inlines

    def get_queryset(self, request: HttpRequest) -> Any:
        """Prefetch only the published version of each template, for the placeholders column, and its draft."""
        shown = Q(number=F("template__current_version")) | Q(state__in=[VersionState.DRAFT, VersionState.TEST])
        versions = TemplateVersion.objects.filter(shown).order_by("number")
        rows = with_use(super().get_queryset(request))
        return rows.prefetch_related(Prefetch("versions", versions, to_attr="shown_versions"), "tags")

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        """Search by a part of the name, or by the whole id."""
        if identifier := read_uuid(search_term.strip()):
            return queryset.filter(pk=identifier), False
        return super().get_search_results(request, queryset, search_term)

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Return the preview, for browsers without scripts, and the actions on the template."""
        may_change = self.has_change_permission(request, obj)
        shown = obj.newest() if may_change else obj.published()
        typed = posted(request) or preview.typed_of(shown)
        return {
            **preview.context(typed, obj, permissions.services_of(request)),
            "curl": examples.shell(settings.BASE_URL, examples.PLACE_FOR_KEY, obj),
            "may_send": permissions.may_in(request, obj.service_id, [Role.SEND_MESSAGES]),
            "shown_version": shown,
            "tags": tags.chips(obj),
            "published_version": obj.current_version,
        }

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the next version or draft if the text differs. Messages accepted before keep their version."""
        if not change:
            super().save_model(request, obj, form, change)
            TemplateVersion.objects.create(
                template=obj, number=1, note=form.cleaned_data["note"], created_by=audit.author(request), **form.text()
            )
            obj.set_tags(form.cleaned_data["tags"])
            self._keep_samples(request, obj)
            return
        stored = Template.objects.select_for_update().get(pk=obj.pk)  # of two saves at once, one is later
        self._keep_samples(request, obj)
        options = {name: getattr(obj, name) for name in ("redact_personalisation", "respect_quiet_hours")}
        changing.change_options(stored, options, editor_of(request))
        changing.change_tags(stored, form.cleaned_data["tags"], editor_of(request))
        obj.done = self.save_text(request, stored, form.text(), form.cleaned_data["note"])

    def save_label(self, obj: Any) -> str:
        return super().save_label(obj) if obj is None else "Publish template"

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Remove *History*: *Versions* shows the author of each text, and the audit shows other changes."""
        context = {**context, "draft_label": "Save draft"} if kwargs.get("obj") else context
        page = super().render_change_form(request, context, *args, **kwargs)
        page.context_data["show_history"] = False
        return page

    def done_message(self, request: HttpRequest, obj: Any, done: str) -> str:
        return getattr(obj, "done", "") or f"Saved as version {obj.current_version}. Messages sent from now on use it."

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        """Go on to the page that names the calls that would break, if there are any."""
        return super().response_change(request, obj) if obj.done else HttpResponseRedirect(self.url_of("publish", obj))

    def preview(self, request: HttpRequest) -> HttpResponse:
        """Render the submitted text with the functions that send. Nothing is stored."""
        template = self.get_object(request, request.POST.get("template", ""))
        if not self.has_view_permission(request, template):
            raise PermissionDenied
        context = preview.context(request.POST, template, permissions.services_of(request))
        if request.headers.get("X-Requested-With") == "fetch":
            return TemplateResponse(request, "admin/notifications/template_parts.html", context)
        page = {**self.page_context(request, "Preview"), **context}
        return TemplateResponse(request, "admin/notifications/template_preview_page.html", page)

    def version_page(self, request: HttpRequest, template: Template) -> HttpResponse:
        """Show the version in the parameter `number` as the editor shows its preview."""
        version = named_version(template, request.GET.get("number", ""))
        context = preview.context(preview.typed_of(version), template, permissions.services_of(request))
        page = self.page_context(request, f"{version.name}, version {version.number}", template)
        page = {**page, **context, "shown_version": version}
        return TemplateResponse(request, "admin/notifications/template_version.html", page)

    channel = column("Type", lambda template: cells.chip(template.get_type_display(), "accent"))

    @admin.display(description="Placeholders")
    def placeholders(self, template: Any) -> SafeString | str:
        version = _published(template)
        names = placeholders.find(version.subject or "", version.content)
        shown = names[:_CHIPS_SHOWN] + (["…"] if len(names) > _CHIPS_SHOWN else [])
        return format_html('<span class="nf-chips">{}</span>', cells.chips(shown, "mono")) if names else "–"

    in_a_week = column("Used, last 7 days", lambda template: formats.number(template.week), ordering="week")
    used = column("Last used", lambda one: formats.day(one.last_day) if one.last_day else "Never", ordering="last_day")

    @admin.display(description="Changed", ordering="updated_at")
    def changed(self, template: Any) -> SafeString | str:
        version = _published(template)
        return cells.date_above_time(version.created_at, version.created_by)

    @admin.display(description="Name", ordering="name")
    def called(self, template: Any) -> SafeString:
        drafts = [f"{row.get_state_display()}: {row.number}" for row in template.shown_versions if row.is_unpublished]
        name = cells.two_lines(template.name, ", ".join([f"version {template.current_version}", *drafts]))
        return format_html("{}{}", name, tags.chips(template))

    id_to_copy = column("ID", lambda template: cells.copied(str(template.pk), f"template-{template.pk}"))

    def _keep_samples(self, request: HttpRequest, template: Template) -> None:
        """Store the example values. This creates neither a version nor an audit event."""
        channel = Channel(template.type)
        texts = [*preview.texts_of(channel, request.POST), *languages.texts(request.POST)]
        kept = {one.name: one.kept() for one in samples.read(request.POST, texts, template, channel)}
        Template.objects.filter(pk=template.pk).update(samples=kept)


def _published(template: Any) -> TemplateVersion:
    """Return the published version of a row of the list."""
    found: TemplateVersion = next(row for row in template.shown_versions if row.number == template.current_version)
    return found
