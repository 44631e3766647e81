"""The rules by which records and remembered keys go in time. Source: Data Set contract §14; Staff console §2.17."""

from collections.abc import Callable, Iterator
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Min, QuerySet
from django.utils import timezone

from config.console import audit, cells
from config.console.clean_up import batches, durations, rules, runs
from config.console.clean_up.rules import Due, Removed, Rule
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
        yield from _of(data_set, store.remove_old, data_set.retention_days or 0, "days")


def _remove_beyond() -> Iterator[Removed]:
    for data_set in _by_number():
        yield from _of(data_set, store.remove_beyond, data_set.max_records or 0, "newest")


def _of(data_set: DataSet, remove: Callable[[int, int], Iterator[int]], keeps: int, unit: str) -> Iterator[Removed]:
    """Go through one data set; what fails there is told and does not stop the others. The audit has what went."""
    label, removed = str(data_set), 0
    try:
        for number in remove(data_set.pk, keeps):
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
                after={"removed": removed, "keeps": {unit: keeps}},
            )


def _due_by_age() -> Iterator[Due]:
    for data_set in _by_age():
        yield from _due(data_set, store.preview(data_set, days=data_set.retention_days, newest=None))


def _due_by_number() -> Iterator[Due]:
    for data_set in _by_number():
        yield from _due(data_set, store.preview(data_set, days=None, newest=data_set.max_records))


def _due(data_set: DataSet, found: store.Preview) -> Iterator[Due]:
    if found.removed:
        yield Due(label=str(data_set), number=found.removed, oldest=found.oldest)


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
        title="Records past their days",
        keeps=lambda: "as many days as the data set says, by _timestamp",
        preview=_due_by_age,
        remove=_remove_old,
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    Rule(
        name="records-by-number",
        title="Records beyond the newest",
        keeps=lambda: "as many of the newest as the data set says",
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
