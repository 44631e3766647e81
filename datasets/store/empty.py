"""Delete all records of a data set and keep its settings, tokens and counters."""

from django.db.models import F

from config import audit
from config.databases import statements
from datasets.models import DataSet, Record
from datasets.store.retention import remove_oldest
from datasets.store.write_lock import with_write_lock

_TIMEOUT_SECONDS = 25  # deleting millions of records takes more than the usual 5 s; a request has 30 s


def empty(data_set: DataSet, *, by: audit.Actor) -> int:
    """Delete all records, with an audit entry, and return their number. Raises NoSuchDataSet, OperationalError."""

    def work() -> int:
        with statements.allowed(_TIMEOUT_SECONDS):
            removed = Record.objects.filter(data_set=data_set).delete()[0]
        if removed:
            DataSet.objects.filter(pk=data_set.pk).update(record_count=0, revision=F("revision") + 1)
        record_emptied(data_set, removed, by=by)
        return removed

    return with_write_lock(data_set.pk, work)


def empty_a_part(data_set_id: int, most: int) -> int:
    """Delete up to `most` records and return the number. Call `record_emptied` after the last. Raises NoSuchDataSet."""
    return with_write_lock(data_set_id, lambda: remove_oldest(data_set_id, most))


def record_emptied(data_set: DataSet, removed: int, *, by: audit.Actor) -> None:
    """Record in the audit that all records were deleted."""
    audit.record(by, "emptied", data_set, before={"records": removed}, after={"records": 0})
