"""Tell a database that is away, or busy for too long, from a fault of ours. Source: Security and reliability §13."""

from django.db import InterfaceError, OperationalError

# SQLite says OperationalError for everything; these are faults of ours: no table or column, disk full.
_SQLITE_FAULTS = frozenset({1, 13})
_POSTGRESQL_DISK_FULL = "53100"


def is_database_away(error: BaseException | None) -> bool:
    """Say whether the same request may succeed a little later: no connection, no lock in time, a time-out."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    cause = error.__cause__
    if getattr(cause, "sqlite_errorcode", None) in _SQLITE_FAULTS:
        return False
    return getattr(cause, "sqlstate", None) != _POSTGRESQL_DISK_FULL
