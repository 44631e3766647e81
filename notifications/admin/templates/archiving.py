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

from config import formats
from config.console.admin import many_rows
from config.console.theme import CheckboxInput
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from notifications.admin.service_rows import ServiceRowAdmin, posted
from notifications.models import Template
from notifications.submission import kept_use
from notifications.submission.templates import changing

_ARCHIVE, _RESTORE = "archive-templates", "restore-templates"
_ARCHIVING = (
    "Calls that use it are then refused with the error “Template has been deleted”.",
    "You can restore it later with the same ID and all its versions.",
)


def _cells(templates: Sequence[Template]) -> list[tuple[object, ...]]:
    """Return the cells of each template, the last with the keys that used it."""
    ids = [template.pk for template in templates]
    found = {service: kept_use.keys(service, "template", ids) for service in {row.service_id for row in templates}}
    return [
        (row.name, row.service, row.get_type_display(), found[row.service_id].sentence(row.pk)) for row in templates
    ]


_CELLS: dict[str, Any] = {"columns": ("Template", "Service", "Type", "Keys"), "cells": _cells}


class ArchiveForm(forms.Form):
    """The tick box that confirms that the person has read the list of keys."""

    seen = forms.BooleanField(label="I have checked which keys used it. Their calls may fail.", widget=CheckboxInput)


class ArchivingAdmin(ServiceRowAdmin):
    """Steps and actions that archive and restore templates."""

    actions = ("archive_chosen", "restore_chosen")

    def archive(self, request: HttpRequest, template: Template) -> HttpResponse:
        form = ArchiveForm(posted(request))
        if request.method == "POST" and form.is_valid():
            many_rows.do_one(request, _ARCHIVE, template)
            return self.action_done(request, self.list_url(), f"{template.name} is archived.")
        used_by = kept_use.keys(template.service_id, "template", [template.pk]).sentence(template.pk)
        title = f"Archive {template.name}"
        return self.action_page(
            request, template, title, "Archive template", [used_by, *_ARCHIVING], form=form, is_destructive=True
        )

    def restore(self, request: HttpRequest, template: Template) -> HttpResponse:
        if request.method == "POST":
            many_rows.do_one(request, _RESTORE, template)
            return self.action_done(request, self.row_url(template), f"{template.name} is restored.")
        explanation = [f"Calls can then use it again, with version {template.current_version}."]
        title = f"Restore {template.name}"
        return self.action_page(request, template, title, "Restore template", explanation)

    @admin.action(description="Archive…", permissions=["change"])
    def archive_chosen(self, request: HttpRequest, chosen: QuerySet[Template]) -> HttpResponse:
        """Show the keys that used each template, and archive the templates when the person confirms."""
        return many_rows.confirm(
            self,
            request,
            self._changeable(request, chosen, is_archived=False),
            _ARCHIVE,
            title="Archive templates",
            button=lambda number: f"Archive {formats.counted(number, 'template')}",
            nothing="All of these templates are already archived.",
            explanation=_ARCHIVING,
            form=ArchiveForm,
            is_destructive=True,
            **_CELLS,
        )

    @admin.action(description="Restore…", permissions=["change"])
    def restore_chosen(self, request: HttpRequest, chosen: QuerySet[Template]) -> HttpResponse:
        return many_rows.confirm(
            self,
            request,
            self._changeable(request, chosen, is_archived=True),
            _RESTORE,
            title="Restore templates",
            button=lambda number: f"Restore {formats.counted(number, 'template')}",
            nothing="All of these templates are already in use.",
            explanation=["Calls can then use them again."],
            **_CELLS,
        )

    def _changeable(self, request: HttpRequest, rows: QuerySet[Template], *, is_archived: bool) -> Any:
        return self.changeable(request, rows).exclude(archived_at__isnull=is_archived).order_by("name", "pk")


def _set_archived(run: BulkJobRun, ids: Sequence[str], *, is_archived: bool) -> int:
    """Archive or restore these templates, and return how many changed."""
    templates = list(Template.objects.select_for_update().filter(pk__in=ids, archived_at__isnull=is_archived))
    changing.set_archived(templates, run.actor, is_archived=is_archived)
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
