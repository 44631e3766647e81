"""One writer at a time in each data set. Source: Data Set contract §7."""

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, connection, transaction

from config.inserting import prepared_cursor
from datasets.errors import NoSuchDataSet

Result = TypeVar("Result")

# Said by the ORM it took as long as storing a record.
_LOCK = {
    "postgresql": "SELECT id FROM datasets_dataset WHERE id = %s FOR NO KEY UPDATE",
    "sqlite": "SELECT id FROM datasets_dataset WHERE id = %s",
}
_TRY_AGAIN = {"40001", "40P01"}  # serialization_failure, deadlock_detected; PostgreSQL Appendix A


def in_turn(data_set_id: int, work: Callable[[], Result]) -> Result:
    """Do the work in one transaction that holds the data set's lock, and once more after a serialisation failure.

    The lock comes first, so two batches with the same ids in any order meet there and not among the records. SQLite
    has one writer for the whole file, which `BEGIN IMMEDIATE` makes the others wait for.
    Raises NoSuchDataSet where it was deleted meanwhile, OperationalError where the lock was not to be had in time.
    """
    return twice_at_most(lambda: _locked(data_set_id, work))


def twice_at_most(work: Callable[[], Result]) -> Result:
    """Do the work, and once more after a serialisation failure. Raises whatever it raises, OperationalError too."""
    try:
        return work()
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) not in _TRY_AGAIN:
            raise
    return work()


def _locked(data_set_id: int, work: Callable[[], Result]) -> Result:
    with transaction.atomic():
        with prepared_cursor(connection) as cursor:
            cursor.execute(_LOCK[connection.vendor], [data_set_id])
            if cursor.fetchone() is None:
                raise NoSuchDataSet
        return work()
