"""Archiving and restoring one or many templates. The page shows which keys used them.

Source: docs/reference/console.md §2.4.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from config import audit
from config.console.admin import many_rows
from config.console.admin.many_rows import Chosen
from config.console.theme import CheckboxInput
from config.jobs import bulk
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from notifications.admin import kept_use
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.models import Template

_ARCHIVE, _RESTORE = "archive-templates", "restore-templates"
_ARCHIVING = (
    "Calls that use it are then refused with the error “Template has been deleted”.",
    "You can restore it later with the same id and all its versions.",
)


class ArchiveForm(forms.Form):
    """The tick box that confirms that the person has read the list of keys."""

    seen = forms.BooleanField(label="I have checked which keys used it. Their calls may fail.", widget=CheckboxInput)


class ArchivingAdmin(ServiceRowAdmin):
    """Steps and actions that archive and restore templates."""

    actions = ("archive_chosen", "restore_chosen")

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return super().get_actions(request) if self.has_add_permission(request) else {}

    def archive(self, request: HttpRequest, template: Template) -> HttpResponse:
        form = ArchiveForm(posted(request))
        if request.method == "POST" and form.is_valid():
            self._change_one(request, _ARCHIVE, template)
            return self.action_done(request, self.list_url(), f"{template.name} is archived.")
        used_by = kept_use.keys(template.service_id, "template", [template.pk]).sentence(template.pk)
        title = f"Archive {template.name}"
        return self.action_page(
            request,
            template,
            title=title,
            button="Archive template",
            explanation=[used_by, *_ARCHIVING],
            form=form,
            is_destructive=True,
        )

    def restore(self, request: HttpRequest, template: Template) -> HttpResponse:
        if request.method == "POST":
            self._change_one(request, _RESTORE, template)
            return self.action_done(request, self.row_url(template), f"{template.name} is restored.")
        explanation = [f"Calls can then use it again, with version {template.current_version}."]
        title = f"Restore {template.name}"
        return self.action_page(request, template, title=title, button="Restore template", explanation=explanation)

    @admin.action(description="Archive…")
    def archive_chosen(self, request: HttpRequest, chosen: QuerySet[Template]) -> HttpResponse:
        return self._change_chosen(request, chosen, is_archived=True)

    @admin.action(description="Restore…")
    def restore_chosen(self, request: HttpRequest, chosen: QuerySet[Template]) -> HttpResponse:
        return self._change_chosen(request, chosen, is_archived=False)

    def _change_chosen(self, request: HttpRequest, rows: QuerySet[Template], *, is_archived: bool) -> HttpResponse:
        """Show the keys that used each template, and archive or restore on confirmation."""
        found = self.changeable(request, rows).filter(archived_at__isnull=is_archived).order_by("name", "pk")
        chosen = Chosen(request, found)
        is_step = "step" in request.POST and chosen.is_confirmed
        form = ArchiveForm(request.POST if is_step else None) if is_archived else None
        if is_step and (form is None or form.is_valid()):
            kind = _ARCHIVE if is_archived else _RESTORE
            return many_rows.take(request, kind, chosen.pks, way_back=self.list_url())
        verb = "Archive" if is_archived else "Restore"
        context = {
            **self.page_context(request, f"{verb} templates"),
            "chosen": chosen,
            "templates": _with_keys(chosen.shown),
            "verb": verb,
            "explanation": _ARCHIVING if is_archived else ["Calls can then use them again."],
            "form": form,
        }
        return TemplateResponse(request, "admin/notifications/templates_chosen.html", context)

    def _change_one(self, request: HttpRequest, kind: str, template: Template) -> None:
        bulk.do_now(many_rows.new_job(request, kind, rows=[str(template.pk)], total=1))


def _set_archived(run: BulkJobRun, ids: Sequence[str], *, is_archived: bool) -> int:
    """Archive or restore these templates, and return how many changed."""
    templates = list(Template.objects.select_for_update().filter(pk__in=ids, archived_at__isnull=is_archived))
    moment = timezone.now() if is_archived else None
    Template.objects.filter(pk__in=[row.pk for row in templates]).update(archived_at=moment)
    for row in templates:
        audit.record(
            run.actor,
            "archived" if is_archived else "restored",
            object_kind="template",
            object_id=row.pk,
            label=row.name,
            service_id=row.service_id,
            before={"archived": not is_archived},
            after={"archived": is_archived},
        )
    return len(templates)


ARCHIVE = BulkJob(
    name=_ARCHIVE,
    verb="Archive",
    noun="template",
    done="archived",
    work=over_rows(partial(_set_archived, is_archived=True)),
)

RESTORE = BulkJob(
    name=_RESTORE,
    verb="Restore",
    noun="template",
    done="restored",
    work=over_rows(partial(_set_archived, is_archived=False)),
)


def _with_keys(templates: list[Template]) -> list[tuple[Template, str]]:
    """Return each template with a sentence on the keys that used it."""
    services = {template.service_id for template in templates}
    ids = [template.pk for template in templates]
    found = {service: kept_use.keys(service, "template", ids) for service in services}
    return [(template, found[template.service_id].sentence(template.pk)) for template in templates]
