"""Check whether the service can answer requests. Source: docs/reference/running.md §13."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import KombuError

from config.queue import publishing

DATABASE_SECONDS = 1

# A query to a hung server cannot be cancelled, but its thread can be left. With two threads, the next call does not
# wait for a stuck one.
_threads = ThreadPoolExecutor(2, thread_name_prefix="readiness")


def failures() -> list[str]:
    """Return the names of failed checks: database, migrations, queue. Empty if the service is ready."""
    if not _in_time(_database_answers):
        return ["database"]
    checks = {"migrations": migrations_are_applied, "queue": _queue_is_reachable}
    return [name for name, check in checks.items() if not check()]


def _in_time(check: Callable[[], bool]) -> bool:
    try:
        return _threads.submit(check).result(DATABASE_SECONDS)
    except TooSlow:
        return False


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    finally:
        connection.close()
    return True


def migrations_are_applied() -> bool:
    try:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return False


def _queue_is_reachable() -> bool:
    try:
        publishing.waiting()
    except (KombuError, OSError):
        return False
    return True
