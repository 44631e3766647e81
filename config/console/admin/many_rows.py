"""Bulk actions on the rows chosen in a list (trap T11).

Two forms follow each other. The list posts an action with row ids or "all that match". The confirmation page shows the
number of rows and posts both again with that number. If the number has changed by then, nothing is done.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import SuspiciousOperation
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from config.accounts.sessions import account_of
from config.jobs import bulk
from config.jobs.bulk import BACKGROUND_OVER
from config.jobs.models import BulkJobRun
from config.jobs.tasks import work_on_bulk_job
from config.queue import publishing
from config.web.ip_addresses import client_ip

SHOWN = 50  # rows that the confirmation page lists


class Chosen:
    """The rows of a confirmation page, whose form includes `admin/includes/chosen_rows.html`.

    rows: the chosen rows that this person may change and that the action applies to, in order
    """

    def __init__(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        self.rows = rows
        self.pks = [str(pk) for pk in rows.values_list("pk", flat=True)]
        self.action = request.POST.get("action", "")
        self.is_all = request.POST.get("select_across") == "1"
        self.new_id = str(uuid.uuid4())
        self._counted = request.POST.get("number", "")

    @property
    def number(self) -> int:
        return len(self.pks)

    @cached_property
    def shown(self) -> list[Any]:
        """Return the first rows, which the page lists."""
        return list(self.rows[:SHOWN])

    @property
    def more(self) -> int:
        return max(self.number - SHOWN, 0)

    @property
    def sent_again(self) -> list[str]:
        """Return the ids that the form posts again. For "all that match" one id is enough."""
        return self.pks[:1] if self.is_all else self.pks

    @property
    def is_in_background(self) -> bool:
        return self.number > BACKGROUND_OVER

    @property
    def differs(self) -> bool:
        """Return whether the number of matching rows has changed. Only "all that match" can change."""
        return self.is_all and bool(self._counted) and self._counted != str(self.number)

    @property
    def is_confirmed(self) -> bool:
        return not self.is_all or self._counted == str(self.number)


def confirm(
    model_admin: Any,
    request: HttpRequest,
    rows: QuerySet[Any],
    kind: str,
    *,
    title: str,
    button: Callable[[int], str],
    nothing: str,
    columns: Sequence[str],
    cells: Callable[[Sequence[Any]], Iterable[Sequence[object]]],
    form: Callable[[Any], forms.Form] | None = None,
    **context: Any,
) -> HttpResponse:
    """Show the chosen rows with their cells, and change them when the person confirms.

    button: returns its label for the number of rows
    nothing: the text if the action applies to none of the rows
    form: returns the form of further fields for POST data or None
    context: `explanation` (sentences), `is_destructive` (a red button)
    """
    chosen = Chosen(request, rows)
    is_confirmed = "step" in request.POST and chosen.is_confirmed
    bound = form(request.POST if is_confirmed else None) if form else None
    if is_confirmed and (bound is None or bound.is_valid()):
        return take(request, kind, chosen.pks, way_back=model_admin.list_url())
    page = {
        **model_admin.page_context(request, title),
        "chosen": chosen,
        "button": button(chosen.number),
        "error": "" if chosen.number else nothing,
        "columns": columns,
        "rows": [list(zip(columns, row, strict=True)) for row in cells(chosen.shown)],
        "form": bound,
        **context,
    }
    return TemplateResponse(request, "admin/chosen_rows.html", page)


def do_one(request: HttpRequest, kind: str, row: models.Model) -> None:
    """Make the change of a bulk job to one row."""
    bulk.do_now(new_job(request, kind, rows=[str(row.pk)], total=1))


def take(
    request: HttpRequest, kind: str, pks: list[str], *, way_back: str, arguments: Mapping[str, object] | None = None
) -> HttpResponse:
    """Change these rows and redirect to `way_back`. For more than BACKGROUND_OVER rows start a job instead."""
    job = new_job(request, kind, rows=pks, total=len(pks), way_back=way_back, arguments=dict(arguments or {}))
    if len(pks) > BACKGROUND_OVER:
        return in_background(request, job)
    messages.success(request, bulk.do_now(job))
    return HttpResponseRedirect(way_back)


def new_job(request: HttpRequest, kind: str, **fields: Any) -> BulkJobRun:
    """Return an unsaved job of this person, with the id from its form."""
    return BulkJobRun(pk=_id_of(request), kind=kind, by=account_of(request), ip_address=client_ip(request), **fields)


def in_background(request: HttpRequest, job: BulkJobRun) -> HttpResponse:
    """Start a job and redirect to its progress page. A form that is sent twice starts one job."""
    if bulk.start(job):
        publishing.enqueue(work_on_bulk_job, str(job.pk))
    return HttpResponseRedirect(reverse("admin:operations_bulkjobrun_change", args=[job.pk]))


def _id_of(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("job_id") or str(uuid.uuid4()))
    except ValueError as error:
        raise SuspiciousOperation from error
