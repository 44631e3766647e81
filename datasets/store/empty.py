"""Remove every record of a data set, and nothing else of it."""

from django.db.models import F

from config import statements
from config.console import audit
from datasets.models import DataSet, Record
from datasets.store.retention import remove_oldest
from datasets.store.turn import in_turn

_LONG_ENOUGH_SECONDS = 25  # millions of records do not go in the 5 s of an ordinary statement; a request has 30 s


def empty(data_set: DataSet, *, by: audit.Actor) -> int:
    """Return how many records were removed; the audit says who did it. Raises NoSuchDataSet, OperationalError."""

    def work() -> int:
        with statements.allowed(_LONG_ENOUGH_SECONDS):
            removed = Record.objects.filter(data_set=data_set).delete()[0]
        if removed:
            DataSet.objects.filter(pk=data_set.pk).update(record_count=0, revision=F("revision") + 1)
        _tell(data_set, removed, by)
        return removed

    return in_turn(data_set.pk, work)


def empty_a_part(data_set: DataSet, most: int, *, gone_before: int, by: audit.Actor) -> tuple[int, bool]:
    """Remove up to so many records; return how many went and whether none are left: then the audit has their sum.

    gone_before: what earlier parts have removed. Raises NoSuchDataSet.
    """

    def work() -> tuple[int, bool]:
        removed = remove_oldest(data_set.pk, most)
        is_empty = removed < most
        if is_empty:
            _tell(data_set, gone_before + removed, by)
        return removed, is_empty

    return in_turn(data_set.pk, work)


def _tell(data_set: DataSet, removed: int, by: audit.Actor) -> None:
    audit.record(
        by,
        "emptied",
        object_kind="dataset",
        object_id=data_set.pk,
        label=str(data_set),
        data_set_id=data_set.pk,
        before={"records": removed},
        after={"records": 0},
    )
