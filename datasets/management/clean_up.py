"""The retention rules of records, idempotency keys and write errors.

Source: docs/reference/data-sets.md §14; docs/reference/console.md §2.17.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import QuerySet
from django.db.models.functions import Now

from config import audit, formats
from config.jobs import rules
from config.jobs.registry import Batch
from config.jobs.rules import Due, RetentionRule, RuleGroup
from config.jobs.runner import reason_of
from datasets import store
from datasets.columns import files
from datasets.imports import kept
from datasets.models import (
    DRIFT_KEPT_DAYS,
    KEPT_VALUES_FOR,
    MAX_KEPT_VALUES,
    REJECTED_KEPT_FOR,
    DataImport,
    DataSet,
    FieldDrift,
    HourlyRequests,
    KeptValue,
    RejectedRecord,
    RememberedKey,
    WriteError,
)
from datasets.models.data_import import KEPT as KEPT_IMPORTS
from datasets.models.hourly_requests import KEPT_FOR as STATISTICS_ARE_KEPT_FOR
from datasets.models.write_error import KEPT as KEPT_ERRORS
from datasets.records.keeping import MAX_REJECTED
from datasets.store.empty import KEPT

_SEEN_BY = "datasets.manage_data_sets"
_AFTER_EMPTYING = timedelta(minutes=5)
_COLUMN_FILES = timedelta(minutes=30)
_LEFT_BEHIND_SECONDS = 24 * 60 * 60
_HOURLY = timedelta(hours=1)  # Source: docs/reference/data-sets.md §14


def _with(setting: str) -> QuerySet[DataSet]:
    return DataSet.objects.select_related("group", "type").exclude(**{setting: None}).order_by("pk")


def _remove_old() -> Iterator[Batch]:
    for data_set in _with("retention_days"):
        days = data_set.retention_days or 0
        yield from _of(data_set, store.remove_old(data_set.pk, days), {"days": days})


def _remove_beyond() -> Iterator[Batch]:
    for data_set in _with("max_records"):
        newest = data_set.max_records or 0
        steps = store.remove_beyond(data_set.pk, newest, days=data_set.retention_days)
        yield from _of(data_set, steps, {"newest": newest})


def _of(data_set: DataSet, steps: Iterator[int], keeps: dict[str, int]) -> Iterator[Batch]:
    """Clean up one data set and record the total in the audit. A database error does not stop the other data sets."""
    label, removed = str(data_set), 0
    try:
        for number in steps:
            removed += number
            yield Batch(label=label, number=number)
    except DatabaseError as error:
        yield Batch(label=label, number=0, error=reason_of(error))
    finally:  # also if the run ends early
        if removed:
            audit.record(audit.CLOCK, "cleaned_up", data_set, after={"removed": removed, "keeps": keeps})


def _remove_emptied() -> Iterator[Batch]:
    for label, number in store.delete_emptied():
        yield Batch(label=label, number=number)


def _due_of_emptied() -> Iterator[Due]:
    for emptied in store.due_emptied():
        yield Due(label=emptied.label, number=emptied.records, oldest=emptied.emptied_at)


def _remove_column_files() -> Iterator[Batch]:
    for number in files.delete_unnamed():
        yield Batch(label="all data sets", number=number)


def _remove_imports() -> Iterator[Batch]:
    for run in (
        DataImport.objects.to_delete().select_related("data_set__group", "data_set__type").defer("encrypted_details")
    ):
        yield Batch(label=str(run.data_set), number=int(kept.delete_unchanged(run)))
    kept.delete_left_behind(_LEFT_BEHIND_SECONDS)


def _due_of_imports() -> Iterator[Due]:
    return iter(rules.preview(DataImport.objects.to_delete(), "all data sets", "changed_at"))


def _due_by_age() -> Iterator[Due]:
    """One query counts the records of all data sets of equal retention that have no column files."""
    data_sets = list(_with("retention_days"))
    aged: dict[int, store.AgedRecords] = {}
    for days in {data_set.retention_days or 0 for data_set in data_sets}:
        aged |= store.aged_records(DataSet.objects.filter(retention_days=days), days)
    for data_set in data_sets:
        if found := aged.get(data_set.store_id):
            yield from _due(data_set, found.number, found.oldest)


def _due_by_number() -> Iterator[Due]:
    for data_set in _with("max_records"):
        found = store.preview(data_set, days=data_set.retention_days, newest=data_set.max_records)
        yield from _due(data_set, found.removed - found.by_age, found.oldest if not found.by_age else None)


def _due(data_set: DataSet, number: int, oldest: datetime | None) -> Iterator[Due]:
    if number:
        yield Due(label=str(data_set), number=number, oldest=oldest)


RULES = (
    RetentionRule(
        name="records-by-age",
        title="Old records",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: "for the days set for the data set, by _timestamp",
        preview=_due_by_age,
        remove=_remove_old,
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    RetentionRule(
        name="records-by-number",
        title="Records over the limit",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: "the newest, up to the limit set for the data set",
        preview=_due_by_number,
        remove=_remove_beyond,
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    RetentionRule(
        name="emptied-records",
        title="Records of emptied data sets",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: f"for {formats.counted(KEPT // _HOURLY, 'hour')}, out of every answer, for Undo",
        preview=_due_of_emptied,
        remove=_remove_emptied,
        every=_AFTER_EMPTYING,
        permission=_SEEN_BY,
    ),
    RetentionRule(
        name="column-files",
        title="Column files that are no longer used",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: "until the next run",
        preview=lambda: iter(()),
        remove=_remove_column_files,
        every=_COLUMN_FILES,
        permission=_SEEN_BY,
    ),
    RetentionRule(
        name="imports",
        title="Imports with their files and rejected rows",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: f"{formats.counted(KEPT_IMPORTS.days, 'day')} after the last change",
        preview=_due_of_imports,
        remove=_remove_imports,
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    rules.for_rows(
        {"all data sets": KeptValue.objects.past},
        "at",
        name="kept-values",
        title="Earlier values of single records",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: f"{KEPT_VALUES_FOR.days} days, at most the newest {MAX_KEPT_VALUES:,} of each data set",
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    rules.for_rows(
        {"all data sets": RejectedRecord.objects.past},
        "at",
        name="rejected-records",
        title="Rejected records",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: f"{REJECTED_KEPT_FOR.days} days, at most the newest {MAX_REJECTED:,} of each data set",
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    rules.for_rows(
        {"all data sets": FieldDrift.objects.past},
        "day",
        name="field-drifts",
        title="Differences of records from their schema",
        group=RuleGroup.DATA_SETS,
        keeps=lambda: f"{DRIFT_KEPT_DAYS} days",
        permission=_SEEN_BY,
    ),
    rules.for_rows(
        {"all data sets": HourlyRequests.objects.to_forget},
        "at",
        name="data-set-statistics",
        title="Statistics of requests to data sets",
        keeps=lambda: f"{STATISTICS_ARE_KEPT_FOR.days} days",
        permission=_SEEN_BY,
    ),
    rules.for_rows(
        {"all data sets": RememberedKey.to_forget},
        "created_at",
        name="data-set-keys",
        title="Idempotency keys of data sets",
        keeps=lambda: formats.counted(settings.DATASETS_IDEMPOTENCY_HOURS, "hour"),
        every=_HOURLY,
        permission=_SEEN_BY,
    ),
    rules.for_rows(
        {"all data sets": lambda: WriteError.objects.filter(at__lt=Now() - rules.ERRORS_ARE_KEPT_FOR)},
        "at",
        name="write-errors",
        title="Refused writes of data sets",
        keeps=lambda: f"the newest {KEPT_ERRORS} of each data set, for {rules.ERRORS_ARE_KEPT_FOR.days} days",
        permission=_SEEN_BY,
    ),
)
