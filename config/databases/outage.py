"""Distinguish an unavailable database from an error in the program. Source: docs/reference/security.md §13."""

from django.db import InterfaceError, OperationalError

# SQLite raises OperationalError for everything. These codes mean: no such table or column, disk full.
_SQLITE_ERRORS = frozenset({1, 13})
_POSTGRESQL_DISK_FULL = "53100"


def is_database_away(error: BaseException | None) -> bool:
    """Return whether the same request may succeed later: no connection, no lock in time, or a time-out."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    cause = error.__cause__
    if getattr(cause, "sqlite_errorcode", None) in _SQLITE_ERRORS:
        return False
    return getattr(cause, "sqlstate", None) != _POSTGRESQL_DISK_FULL
