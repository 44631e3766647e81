"""Time limits of PostgreSQL for one statement. Source: docs/reference/security.md §12."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections

from config.databases.postgresql import waiting

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
