"""The data set area's part of the console's overview. Source: Staff console §2.1."""

from datetime import timedelta

from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone

from config.console import overview
from config.console.overview import Figure, Step
from datasets.models import DataSet, DataSetDay

_DAYS = timedelta(days=7)


def figures() -> list[Figure]:
    """Count from the day's counters, never from the records."""
    today = timezone.now().date()
    week = DataSetDay.objects.filter(day__gt=today - _DAYS).aggregate(records=Sum("records"), refused=Sum("refused"))
    written = DataSetDay.objects.filter(day=today, writes__gt=0).count()
    url = reverse("admin:datasets_dataset_changelist")
    return [
        Figure(label="Records", value=week["records"] or 0, detail="written in 7 UTC days", url=url),
        Figure(label="Refused writes", value=week["refused"] or 0, detail="in 7 UTC days", url=url),
        Figure(label="Data sets", value=DataSet.objects.count(), detail=f"{written} written to today", url=url),
    ]


def steps() -> list[Step]:
    """Lead from an empty installation to a first record; each step ticks itself."""
    return [
        Step(
            title="Make a data set",
            explanation="It keeps time-stamped records under one address, and comes with its write token.",
            is_done=DataSet.objects.exists(),
            url=reverse("admin:datasets_dataset_add"),
            button="New data set",
        ),
        Step(
            title="Write a record, and see it",
            explanation="The page of a new data set has a curl that works as pasted.",
            is_done=DataSet.objects.filter(last_write_at__isnull=False).exists(),
            url=reverse("admin:datasets_dataset_changelist"),
            button="Data sets",
        ),
    ]


overview.register(
    overview.Panel(title="Data", position=2, permission="datasets.manage_data_sets", figures=figures, steps=steps)
)
