"""The data set area's part of the console's overview: the sets one manages or owns. Source: Staff console §2.1."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from config.console import overview
from config.console.overview import Step
from datasets.admin import access
from datasets.models import DataSetDay

_DAYS = timedelta(days=7)
_LARGEST = 5


def figures(request: HttpRequest) -> Mapping[str, Any]:
    """Count from the day's counters, never from the records."""
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
        "largest": [
            {
                "name": str(one),
                "records": one.record_count,
                "url": reverse("admin:datasets_dataset_change", args=[one.pk]),
            }
            for one in largest[:_LARGEST]
        ],
        "late": [
            {"name": str(one), "since": one.late_since, "url": reverse("admin:datasets_dataset_change", args=[one.pk])}
            for one in late[:_LARGEST]
        ],
        "list_url": reverse("admin:datasets_dataset_changelist"),
    }


def steps(request: HttpRequest) -> list[Step]:
    """Lead from an empty installation to a first record; each step ticks itself."""
    mine = access.data_sets_of(request)
    newest = mine.order_by(F("created_at").desc()).first()
    page = reverse("admin:datasets_dataset_change", args=[newest.pk]) if newest else ""
    return [
        Step(
            title="Make a data set",
            explanation="It keeps time-stamped records under one address, and comes with its write token.",
            is_done=newest is not None,
            url=reverse("admin:datasets_dataset_add") if access.manages_all(request) else "",
            button="New data set",
        ),
        Step(
            title="Copy the curl",
            explanation="The page of a new data set has one that works as pasted.",
            is_done=mine.filter(last_write_at__isnull=False).exists(),
            url=page,
            button="Data set",
        ),
        Step(
            title="See the record",
            explanation="What was written stands on the set's page, newest first.",
            is_done=mine.filter(record_count__gt=0).exists(),
            url=page,
            button="Records",
        ),
    ]


overview.register(
    overview.Panel(
        title="Data",
        position=2,
        template="admin/datasets/overview_panel.html",
        is_open_to=lambda request: access.manages_all(request) or access.data_sets_of(request).exists(),
        figures=figures,
        steps=steps,
    )
)
