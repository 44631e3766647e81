"""Check whether the service can answer requests, and whether this process should get any.

Source: docs/reference/running.md §13.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import KombuError

from config.databases import clock
from config.jobs import state
from config.queue import publishing
from config.web import draining

DATABASE_SECONDS = 1

_known_migrated = threading.Event()

# A query to a hung server cannot be cancelled, but its thread can be left. With two threads, the next call does not
# wait for a stuck one.
_threads = ThreadPoolExecutor(2, thread_name_prefix="readiness")


def failures() -> list[str]:
    """Return the names of failed checks: database, migrations, queue, jobs, time. Empty if the service is ready."""
    if not _in_time(_database_answers):
        return ["database"]
    if not migrations_are_applied():
        return ["migrations"] if _queue_is_reachable() else ["migrations", "queue"]
    checks = {"queue": _queue_is_reachable, "jobs": _jobs_end_well, "time": _clock_is_right}
    return [name for name, check in checks.items() if not check()]


def reason_not_to_serve() -> str:
    """Return why this process should get no requests, or "".

    An unavailable database is not a reason: without any process, callers would get the proxy's error instead of ours.
    """
    if draining.has_begun():
        return "the process stops"
    return "" if _in_time(_is_migrated_or_unknown, otherwise=True) else "migrations are missing"


def _in_time(check: Callable[[], bool], *, otherwise: bool = False) -> bool:
    try:
        return _threads.submit(check).result(DATABASE_SECONDS)
    except TooSlow:
        return otherwise


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
        return _are_migrations_applied()
    except DatabaseError:
        return False


def _is_migrated_or_unknown() -> bool:
    """Return False if migrations are missing. Applied ones stay applied while this process runs, so ask only once."""
    if _known_migrated.is_set():
        return True
    try:
        if not _are_migrations_applied():
            return False
    except DatabaseError:
        return True
    finally:
        connection.close()
    _known_migrated.set()
    return True


def _are_migrations_applied() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _jobs_end_well() -> bool:
    try:
        return not state.unwell()
    except DatabaseError:
        return False


def _clock_is_right() -> bool:
    try:
        return not clock.is_far(clock.difference())
    except DatabaseError:
        return False


def _queue_is_reachable() -> bool:
    try:
        publishing.waiting()
    except (KombuError, OSError):
        return False
    return True
