"""Keep writers that want the same unique value or the same rows from disturbing each other."""

from collections.abc import Callable
from typing import TypeVar

from django.db import IntegrityError, OperationalError, connection

Result = TypeVar("Result")

_TRY_AGAIN = {"40001", "40P01"}  # serialization_failure, deadlock_detected; PostgreSQL Appendix A


def again_if_raced(act: Callable[[], Result]) -> Result:
    """Return act(), and call it once more if a constraint refuses what it stores.

    act checks the rule itself, in a transaction of its own. Between this check and the write another transaction may
    store the value. The second check finds it, so that people get the ordinary error instead of an error page.
    """
    try:
        return act()
    except IntegrityError:
        return act()


def twice_at_most(act: Callable[[], Result]) -> Result:
    """Return act(), and call it once more after a serialization failure or a deadlock."""
    try:
        return act()
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) not in _TRY_AGAIN:
            raise
    return act()


def wait_for_others(name: str) -> None:
    """Wait until no other transaction has called this with the same name. Call it in a transaction.

    SQLite lets one transaction write at a time, so nothing has to wait there.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [name])
