"""Allow one writer at a time in each data set. Source: docs/reference/data-sets.md §7."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from django.db import transaction

from config.databases.prepared import Statement
from config.databases.races import twice_at_most
from datasets.errors import NoSuchDataSet

Result = TypeVar("Result")

# Raw SQL: building this query with the ORM takes as long as storing one record.
_LOCK = Statement(
    {
        "postgresql": (
            "SELECT COALESCE(current_store, id), columns_until FROM datasets_dataset WHERE id = %s FOR NO KEY UPDATE"
        ),
        "sqlite": "SELECT COALESCE(current_store, id), columns_until FROM datasets_dataset WHERE id = %s",
    }
)


class LockedStore(NamedTuple):
    """The store of a locked data set. Neither value changes before the transaction ends.

    columns_until: as in `DataSet`
    """

    id: int
    columns_until: datetime | None


def with_write_lock(data_set_id: int, work: Callable[[LockedStore], Result]) -> Result:
    """Run `work` in one transaction that locks the data set, and repeat it once after a serialization failure.

    The lock is taken first, so that two batches with the same ids cannot deadlock. On SQLite, `BEGIN IMMEDIATE` locks
    the whole file. Raises NoSuchDataSet if the data set was deleted, OperationalError if the lock is not free in time.
    """
    return twice_at_most(lambda: _locked(data_set_id, work))


def _locked(data_set_id: int, work: Callable[[LockedStore], Result]) -> Result:
    with transaction.atomic():
        found = _LOCK.first(data_set_id)
        if found is None:
            raise NoSuchDataSet
        store_id, until = found
        return work(LockedStore(store_id, until and until.replace(tzinfo=UTC)))  # SQLite returns no zone
