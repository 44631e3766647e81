"""A step over the rows chosen in a list: the number found is shown, and only that many are touched (trap T11).

Two forms follow each other. The list's own names an action and rows, or "all that match"; the page that explains the
step sends both again with the number it has shown. What is found then must still be that many.
"""

import uuid
from collections.abc import Mapping
from functools import cached_property
from typing import Any  # rows of any model

from django.contrib import messages
from django.core.exceptions import SuspiciousOperation
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from config import publishing
from config.accounts.sessions import account_of
from config.console import audit, cells
from config.console.background import kinds, steps
from config.console.background.steps import BACKGROUND_OVER
from config.console.models import BackgroundStep
from config.console.tasks import work_on_step

SHOWN = 50  # rows that the page names


class Chosen:
    """What the page of a step over many rows is about; its form includes `admin/includes/chosen_rows.html`.

    rows: those of the chosen ones that this person may change and that the step has anything to do with, in order.
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
        """Return the rows the page names; of many it names the first."""
        return list(self.rows[:SHOWN])

    @property
    def more(self) -> int:
        return max(self.number - SHOWN, 0)

    @property
    def sent_again(self) -> list[str]:
        """Return the ids the page's form carries: with "all that match" one stands for them."""
        return self.pks[:1] if self.is_all else self.pks

    @property
    def is_in_background(self) -> bool:
        return self.number > BACKGROUND_OVER

    @property
    def differs(self) -> bool:
        """Say whether other rows match than were counted; single rows that were ticked are never more than that."""
        return self.is_all and bool(self._counted) and self._counted != str(self.number)

    @property
    def is_confirmed(self) -> bool:
        return not self.is_all or self._counted == str(self.number)


def take(
    request: HttpRequest, kind: str, pks: list[str], *, way_back: str, arguments: Mapping[str, object] | None = None
) -> HttpResponse:
    """Do a step to these rows and lead back; over BACKGROUND_OVER of them, start it and lead to its progress."""
    step = new_step(request, kind, rows=pks, total=len(pks), way_back=way_back, arguments=dict(arguments or {}))
    if len(pks) > BACKGROUND_OVER:
        return in_background(request, step)
    its_kind = kinds.named(kind)
    steps.do_now(step)
    messages.success(request, its_kind.told(step) if its_kind else "")
    return HttpResponseRedirect(way_back)


def new_step(request: HttpRequest, kind: str, **fields: Any) -> BackgroundStep:
    """Return a step of this person that is not stored, under the id its form carries."""
    return BackgroundStep(
        pk=_id_of(request), kind=kind, by=account_of(request), network_address=audit.network_address(request), **fields
    )


def in_background(request: HttpRequest, step: BackgroundStep) -> HttpResponse:
    """Start a step, once however often its form is sent, and lead to the page that shows how far it is."""
    if steps.begin(step):
        publishing.enqueue(work_on_step, str(step.pk))
        messages.success(request, f"Started with {cells.number(step.total)}. This page shows how far it has come.")
    return HttpResponseRedirect(reverse("admin:operations_backgroundstep_change", args=[step.pk]))


def _id_of(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("step_id") or str(uuid.uuid4()))
    except ValueError as error:
        raise SuspiciousOperation from error
