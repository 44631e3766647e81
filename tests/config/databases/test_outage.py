"""Errors that mean: the same request may succeed later."""

import psycopg
import pytest
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError

from config.databases.outage import is_database_away


@pytest.mark.parametrize(
    ("error", "cause", "is_away"),
    [
        (OperationalError(), psycopg.OperationalError("connection refused"), True),
        (OperationalError(), psycopg.errors.QueryCanceled(), True),
        (OperationalError(), psycopg.errors.DiskFull(), False),
        (InterfaceError(), psycopg.InterfaceError("the connection is closed"), True),
        (InternalError(), psycopg.errors.ReadOnlySqlTransaction(), True),  # the primary was demoted
        (InternalError(), psycopg.errors.InFailedSqlTransaction(), False),
        (DatabaseError(), psycopg.errors.UndefinedTable(), False),
    ],
)
def test_an_error_of_postgresql(error: Exception, cause: Exception, is_away: bool) -> None:
    error.__cause__ = cause

    assert is_database_away(error) is is_away


def test_other_errors() -> None:
    assert not is_database_away(None)
    assert not is_database_away(ValueError())
