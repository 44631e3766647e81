"""The rules by which records and remembered keys go in time. Source: Data Set contract §14; Staff console §2.17."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Min, QuerySet
from django.utils import timezone

from config.console import audit, cells
from config.console.clean_up import batches, durations, rules, runs
from config.console.clean_up.rules import Due, Group, Removed, Rule
from datasets import store
from datasets.models import DataSet, WriteRefusal
from datasets.models.write_refusal import KEPT

_SEEN_BY = "datasets.manage_data_sets"
_HOURLY = timedelta(hours=1)  # Data Set contract §14


def _by_age() -> QuerySet[DataSet]:
    return DataSet.objects.select_related("group", "type").filter(retention_days__isnull=False).order_by("pk")


def _by_number() -> QuerySet[DataSet]:
    return DataSet.objects.select_related("group", "type").filter(max_records__isnull=False).order_by("pk")


def _remove_old() -> Iterator[Removed]:
    for data_set in _by_age():
        days = data_set.retention_days or 0
        yield from _of(data_set, store.remove_old(data_set.pk, days), {"days": days})


def _remove_beyond() -> Iterator[Removed]:
    for data_set in _by_number():
        newest = data_set.max_records or 0
        steps = store.remove_beyond(data_set.pk, newest, days=data_set.retention_days)
        yield from _of(data_set, steps, {"newest": newest})


def _of(data_set: DataSet, steps: Iterator[int], keeps: dict[str, int]) -> Iterator[Removed]:
    """Go through one data set; a failure there is reported and does not stop the others. The audit has the sum."""
    label, removed = str(data_set), 0
    try:
        for number in steps:
            removed += number
            yield Removed(label=label, number=number)
    except DatabaseError as error:
        yield Removed(label=label, number=0, error=runs.reason_of(error))
    finally:  # also where the turn ends in the middle
        if removed:
            audit.record(
                audit.CLOCK,
                "cleaned_up",
                object_kind="dataset",
                object_id=data_set.pk,
                label=label,
                data_set_id=data_set.pk,
                after={"removed": removed, "keeps": keeps},
            )


def _due_by_age() -> Iterator[Due]:
    for data_set in _by_age():
        found = store.preview(data_set, days=data_set.retention_days, newest=None)
        yield from _due(data_set, found.removed, found.oldest)


def _due_by_number() -> Iterator[Due]:
    for data_set in _by_number():
        found = store.preview(data_set, days=data_set.retention_days, newest=data_set.max_records)
        yield from _due(data_set, found.removed - found.by_age, found.oldest if not found.by_age else None)


def _due(data_set: DataSet, number: int, oldest: datetime | None) -> Iterator[Due]:
    if number:
        yield Due(label=str(data_set), number=number, oldest=oldest)


def _refusals() -> QuerySet[WriteRefusal]:
    return WriteRefusal.objects.filter(at__lt=timezone.now() - durations.REFUSALS_ARE_KEPT_FOR).order_by("at")


def _due_keys() -> Iterator[Due]:
    old = store.old_keys().order_by()
    if number := old.count():
        yield Due(label="all data sets", number=number, oldest=old.aggregate(oldest=Min("created_at"))["oldest"])


def _forget_keys() -> Iterator[Removed]:
    return (Removed(label="all data sets", number=number) for number in store.forget_old_keys())


rules.register(
    Rule(
        name="records-by-age",
        title="Old records",
        group=Group.DATA_SETS,
        keeps=lambda: "for the days set for the data set, by _timestamp",
        preview=_due_by_age,
        remove=_remove_old,
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    Rule(
        name="records-by-number",
        title="Records over the limit",
        group=Group.DATA_SETS,
        keeps=lambda: "the newest, up to the limit set for the data set",
        preview=_due_by_number,
        remove=_remove_beyond,
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    Rule(
        name="data-set-keys",
        title="Idempotency keys of data sets",
        keeps=lambda: cells.counted(settings.DATASETS_IDEMPOTENCY_HOURS, "hour"),
        preview=_due_keys,
        remove=_forget_keys,
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    Rule(
        name="write-refusals",
        title="Refused writes of data sets",
        keeps=lambda: f"the newest {KEPT} of each data set, for {durations.REFUSALS_ARE_KEPT_FOR.days} days",
        preview=lambda: batches.preview(_refusals(), "all data sets", "at"),
        remove=lambda: batches.delete(_refusals(), "all data sets"),
        permission=_SEEN_BY,
    ),
)
