"""Templates: a saved change is a new version, and no version is ever changed. Source: Staff console §2.4."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import F, Prefetch
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config.console import audit, cells, changes
from config.console.admin import ConsoleInline
from notifications.admin import template_preview
from notifications.admin.service_rows import ServiceRowAdmin
from notifications.admin.template_forms import TemplateForm, current_version
from notifications.models import Channel, Template, TemplateVersion
from notifications.rendering import placeholders

_TEXT_FIELDS = ("name", "content", "note", "based_on")
_VERSIONS_SHOWN = 20  # a text may be 2 MB long
_EMAIL_FIELDS = ("name", "subject", "content", "unsubscribe_link", "note", "based_on")


class InUseFilter(admin.SimpleListFilter):
    """In use unless asked for: an archived template is in nobody's way."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("archived", "Archived"), ("all", "All")]

    def choices(self, changelist: Any) -> Any:
        yield {
            "selected": self.value() is None,
            "query_string": changelist.get_query_string(remove=[self.parameter_name]),
            "display": "In use",
        }
        for value, title in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": self.value() == value, "query_string": query, "display": title}

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() == "all":
            return queryset
        return queryset.filter(archived_at__isnull=self.value() != "archived")


class VersionInline(ConsoleInline):
    model = TemplateVersion
    fields = ("number", "created", "created_by", "note", "text")
    readonly_fields = fields
    verbose_name_plural = f"newest {_VERSIONS_SHOWN} versions"

    def get_queryset(self, request: HttpRequest) -> Any:
        oldest_shown = F("template__current_version") - _VERSIONS_SHOWN + 1
        return super().get_queryset(request).filter(number__gte=oldest_shown)

    @admin.display(description="Made")
    def created(self, version: TemplateVersion) -> SafeString | str:
        return cells.moment(version.created_at)

    @admin.display(description="Text")
    def text(self, version: TemplateVersion) -> SafeString:
        subject = format_html("<strong>{}</strong>\n\n", version.subject) if version.subject else ""
        return format_html('<pre class="nf-version">{}{}</pre>', subject, version.content)


@admin.register(Template)
class TemplateAdmin(ServiceRowAdmin):
    form = TemplateForm
    inlines = (VersionInline,)
    list_display = ("called", "channel", "placeholders", "version", "service", "changed")
    list_filter = ("service", "type", InUseFilter)
    steps = {"archive": "archive", "restore": "restore"}
    change_form_template = "admin/notifications/template_change_form.html"
    empty = "No templates yet. A template is the text people receive; ((name)) marks what the caller fills in."

    compressed_fields = False  # the editor has half a page: labels stand above their fields

    class Media:
        css = {"all": ("notifications/messages.css",)}
        js = ("notifications/template_editor.js",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("service", "type", *_EMAIL_FIELDS)
        return ("id", *(_EMAIL_FIELDS if obj.type == Channel.EMAIL else _TEXT_FIELDS))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("id",)

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return () if obj is None else self.inlines

    def get_queryset(self, request: HttpRequest) -> Any:
        """Bring each template's newest text along for the list's placeholders, and no older one."""
        newest = TemplateVersion.objects.filter(number=F("template__current_version"))
        return super().get_queryset(request).prefetch_related(Prefetch("versions", newest, to_attr="newest"))

    def get_urls(self) -> list[URLPattern]:
        preview = self.admin_site.admin_view(self.preview)
        return [path("preview/", preview, name="notifications_template_preview"), *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store the next version if anything differs; messages accepted before keep theirs."""
        if not change:
            super().save_model(request, obj, form, change)
            self._write_version(request, obj, form, number=1)
            return
        Template.objects.select_for_update().get(pk=obj.pk)  # two saves at once: the second sees the first's version
        before = current_version(obj)
        if not _differs(before, form.text()):
            return
        obj.current_version = before.number + 1
        obj.updated_at = timezone.now()
        obj.save(update_fields=["name", "current_version", "updated_at"])
        after = self._write_version(request, obj, form, number=obj.current_version)
        was, now = changes.difference(changes.snapshot(before), changes.snapshot(after))
        self.audit(request, "changed", obj, before={"name": before.name, **was}, after=now)

    def response_change(self, request: HttpRequest, obj: Template) -> HttpResponse:
        answer = super().response_change(request, obj)
        for _ in messages.get_messages(request):  # the admin's own sentence says less than ours
            pass
        messages.success(request, f"{obj.name} is at version {obj.current_version}. Messages sent from now on use it.")
        return answer

    def preview(self, request: HttpRequest) -> HttpResponse:
        """Render what is typed, by the functions that send; nothing is stored."""
        context = template_preview.context(request.POST, self.get_object(request, request.POST.get("template", "")))
        if request.headers.get("X-Requested-With") == "fetch":
            return TemplateResponse(request, "admin/notifications/template_preview.html", context)
        page = {**self.page_context(request, "Preview"), **context}
        return TemplateResponse(request, "admin/notifications/template_preview_page.html", page)

    def archive(self, request: HttpRequest, template: Template) -> HttpResponse:
        if request.method == "POST":
            Template.objects.filter(pk=template.pk).update(archived_at=timezone.now())
            self.audit(request, "archived", template, before={"name": template.name})
            return self.step_done(request, self.list_url(), f"{template.name} is archived.")
        explanation = [
            "Calls that name it will be refused: its id answers “Template has been deleted”.",
            "Nothing is lost: it can be restored, with the same id and all its versions.",
        ]
        title = f"Archive {template.name}"
        return self.step_page(
            request, template, title=title, button="Archive this template", explanation=explanation, is_grave=True
        )

    def restore(self, request: HttpRequest, template: Template) -> HttpResponse:
        if request.method == "POST":
            Template.objects.filter(pk=template.pk).update(archived_at=None)
            self.audit(request, "restored", template, after={"name": template.name})
            return self.step_done(request, self.row_url(template), f"{template.name} is in use again.")
        explanation = [f"Calls may name it again, from its version {template.current_version} on."]
        title = f"Restore {template.name}"
        return self.step_page(request, template, title=title, button="Restore this template", explanation=explanation)

    @admin.display(description="Type")
    def channel(self, template: Template) -> SafeString:
        return cells.chip(template.get_type_display(), "accent")

    @admin.display(description="Placeholders")
    def placeholders(self, template: Any) -> SafeString | str:
        version = template.newest[0]
        names = placeholders.find(version.subject or "", version.content)
        return cells.chips(names, "mono") if names else "–"

    @admin.display(description="Version")
    def version(self, template: Template) -> int:
        return template.current_version

    @admin.display(description="Changed")
    def changed(self, template: Template) -> SafeString | str:
        return cells.moment(template.updated_at or template.created_at)

    @admin.display(description="Name and id", ordering="name")
    def called(self, template: Template) -> SafeString:
        return cells.two_lines(template.name, str(template.pk))

    def _write_version(self, request: HttpRequest, template: Template, form: Any, *, number: int) -> TemplateVersion:
        return TemplateVersion.objects.create(
            template=template,
            number=number,
            note=form.cleaned_data["note"],
            created_by=audit.author(request),
            **form.text(),
        )


def _differs(version: TemplateVersion, text: dict[str, Any]) -> bool:
    """Say whether anything but line ends has changed: a browser turns those of an older text into its own."""
    return any(_plain(getattr(version, name)) != _plain(value) for name, value in text.items())


def _plain(value: object) -> object:
    return value.replace("\r\n", "\n") if isinstance(value, str) else value
