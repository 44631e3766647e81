"""Distinguish an unavailable database from an error in the program. Source: docs/reference/security.md §13."""

from django.db import InterfaceError, InternalError, OperationalError

# SQLite raises OperationalError for everything. These codes mean: no such table or column, disk full.
_SQLITE_ERRORS = frozenset({1, 13})
_SQLITE_INTERRUPT = 9
_POSTGRESQL_QUERY_CANCELED = "57014"  # statement_timeout; a lock that is not free in time has another code
_POSTGRESQL_DISK_FULL = "53100"
_POSTGRESQL_READ_ONLY = "25006"  # the server is no longer the primary; connections to the new one are about to open


def is_database_away(error: BaseException | None) -> bool:
    """Return whether the same request may succeed later: no connection, no primary, no lock in time, or a time-out."""
    cause = getattr(error, "__cause__", None)
    if isinstance(error, InternalError):
        return getattr(cause, "sqlstate", None) == _POSTGRESQL_READ_ONLY
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    if getattr(cause, "sqlite_errorcode", None) in _SQLITE_ERRORS:
        return False
    return getattr(cause, "sqlstate", None) != _POSTGRESQL_DISK_FULL


def is_out_of_time(error: OperationalError) -> bool:
    """Return whether the statement itself took longer than its limit, so that the same request would fail again."""
    cause = error.__cause__
    return (
        getattr(cause, "sqlstate", None) == _POSTGRESQL_QUERY_CANCELED
        or getattr(cause, "sqlite_errorcode", None) == _SQLITE_INTERRUPT
    )
