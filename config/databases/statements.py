"""Time limits for one statement: always on PostgreSQL, in `limited` blocks on SQLite.

Source: docs/reference/security.md §12.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from config.databases.postgresql import waiting

_STEPS = 100_000  # of SQLite's virtual machine, about a millisecond
WORKER_SECONDS = 60  # a request ends after 5 s, but a scheduled task may read a whole table


def allow(seconds: int) -> None:
    """Set the limit of all connections. Call it before the process opens the first. SQLite has no such limit."""
    for alias in connections:
        database = connections.settings[alias]
        if "postgresql" in str(database["ENGINE"]):
            # PostgreSQL uses the last of several values.
            given = database["OPTIONS"].get("options", "")
            database["OPTIONS"]["options"] = f"{given} -c statement_timeout={seconds * 1000}"


@contextmanager
def allowed(seconds: int) -> Iterator[None]:
    """Set the limit of the statements in the block and in the rest of the transaction."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
    with waiting.extended(connection.connection, seconds):
        yield


@contextmanager
def limited(database: BaseDatabaseWrapper) -> Iterator[None]:
    """Give each statement of the block on SQLite the limit that PostgreSQL enforces. Raises OperationalError.

    SQLite has no such limit of its own, so a large query would keep its thread until the web server ends the process.
    """
    seconds = settings.DATABASE_STATEMENT_SECONDS
    if database.vendor != "sqlite" or not seconds:
        yield
        return
    ends_at = float("inf")

    def begin(execute: Callable[..., Any], *given: Any) -> Any:  # Any: Django's signature
        nonlocal ends_at
        ends_at = time.monotonic() + seconds
        return execute(*given)

    database.ensure_connection()
    driver: Any = database.connection  # Any: the connection of sqlite3
    driver.set_progress_handler(lambda: time.monotonic() > ends_at, _STEPS)
    try:
        with database.execute_wrapper(begin):
            yield
    finally:
        driver.set_progress_handler(None, 0)
