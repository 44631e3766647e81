"""One writer at a time in each data set. Source: Data Set contract §7."""

from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, transaction

from datasets.errors import NoSuchDataSet
from datasets.models import DataSet

Result = TypeVar("Result")

_TRY_AGAIN = {"40001", "40P01"}  # serialization_failure, deadlock_detected; PostgreSQL Appendix A


def in_turn(data_set_id: int, work: Callable[[], Result]) -> Result:
    """Do the work in one transaction that holds the data set's lock, and once more after a serialisation failure.

    The lock comes first, so two batches with the same ids in any order meet there and not among the records. SQLite
    has one writer for the whole file, which `BEGIN IMMEDIATE` makes the others wait for.
    Raises NoSuchDataSet where it was deleted meanwhile, OperationalError where the lock was not to be had in time.
    """
    try:
        return _locked(data_set_id, work)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) not in _TRY_AGAIN:
            raise
    return _locked(data_set_id, work)


def _locked(data_set_id: int, work: Callable[[], Result]) -> Result:
    with transaction.atomic():
        lock = DataSet.objects.select_for_update(no_key=True).order_by().filter(pk=data_set_id)
        if not lock.values_list("pk", flat=True):
            raise NoSuchDataSet
        return work()
