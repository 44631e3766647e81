"""The data set panel of the console's overview.

Source: docs/reference/console.md §2.1.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from config.console import overview
from config.console.overview import ChecklistStep
from datasets.admin import access
from datasets.models import DataSetDay

_DAYS = timedelta(days=7)
_LARGEST = 5


def numbers(request: HttpRequest) -> Mapping[str, Any]:
    """Return the counts of the panel from the daily counters."""
    today = timezone.now().date()
    mine = access.data_sets_of(request)
    days = DataSetDay.objects.filter(day__gt=today - _DAYS, day__lte=today)
    if not access.manages_all(request):
        days = days.filter(data_set__in=mine)
    on_day = Q(day=today)
    week = days.aggregate(
        in_week=Sum("records"),
        on_day=Sum("records", filter=on_day),
        not_stored=Sum("refused"),
        sets=Count("data_set", distinct=True, filter=on_day & Q(writes__gt=0)),
    )
    largest = mine.filter(record_count__gt=0).select_related("group", "type").order_by("-record_count", "pk")
    late = mine.exclude(late_since=None).select_related("group", "type").order_by("late_since", "pk")
    return {
        "today": week["on_day"] or 0,
        "week": week["in_week"] or 0,
        "refused": week["not_stored"] or 0,
        "sets_written": week["sets"],
        "sets": mine.count(),
        "largest": largest[:_LARGEST],
        "late": late[:_LARGEST],
    }


def steps(request: HttpRequest) -> list[ChecklistStep]:
    """Return the steps of an empty installation to its first record."""
    mine = access.data_sets_of(request)
    newest = mine.order_by(F("created_at").desc()).first()
    page = reverse("admin:datasets_dataset_change", args=[newest.pk]) if newest else ""
    return [
        ChecklistStep(
            "Create a data set",
            "A data set keeps time-stamped records under one URL. You also get a token to write records.",
            is_done=newest is not None,
            url=reverse("admin:datasets_dataset_add") if access.manages_all(request) else "",
            button="Create data set",
        ),
        ChecklistStep(
            "Write a record",
            "Copy the command on the page of the data set and run it.",
            is_done=mine.filter(last_write_at__isnull=False).exists(),
            url=page,
            button="Show data set",
        ),
        ChecklistStep(
            "See the record",
            "The page of the data set shows its records, newest first.",
            is_done=mine.filter(record_count__gt=0).exists(),
            url=page,
            button="Show records",
        ),
    ]


PANEL = overview.Panel(
    title="Data",
    position=2,
    template="admin/datasets/overview_panel.html",
    is_open_to=access.is_open_to,
    numbers=numbers,
    steps=steps,
)
