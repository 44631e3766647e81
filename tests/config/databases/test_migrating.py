"""Migrations wait for locks in short steps. Source: docs/operations.md, Upgrade."""

import psycopg
import pytest
from django.db import OperationalError, connection

from config.databases import migrating


def lock_not_available() -> None:
    error = OperationalError()
    error.__cause__ = psycopg.errors.LockNotAvailable()
    raise error


def test_a_table_in_use_is_tried_ten_times() -> None:
    failures: list[int] = []

    with pytest.raises(OperationalError):
        migrating.with_tries(lock_not_available, pause=failures.append)

    assert failures == list(range(1, migrating.TRIES))


def test_another_error_ends_the_migration_at_once() -> None:
    def work() -> None:
        raise OperationalError("no such table")

    failures: list[int] = []
    with pytest.raises(OperationalError, match="no such table"):
        migrating.with_tries(work, pause=failures.append)

    assert failures == []


@pytest.mark.django_db(transaction=True)
def test_a_lock_that_becomes_free_lets_the_next_try_succeed() -> None:
    if connection.vendor != "postgresql":
        assert connection.vendor == "sqlite", "which has no locks of tables"
        return
    failures: list[int] = []
    given = connection.get_connection_params()
    reader = psycopg.connect(**{key: given[key] for key in ("dbname", "user", "host", "port") if key in given})
    reader.execute("LOCK TABLE metric_value IN ACCESS SHARE MODE")

    def alter() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
            cursor.execute("ALTER TABLE metric_value ALTER COLUMN value SET DEFAULT 0")
            cursor.execute("ALTER TABLE metric_value ALTER COLUMN value DROP DEFAULT")
            cursor.execute("SET lock_timeout = '2s'")

    def pause(failed: int) -> None:
        failures.append(failed)
        reader.rollback()

    with reader:
        migrating.with_tries(alter, pause=pause)

    assert failures == [1]
