"""How long PostgreSQL may work on one statement. Source: Security and reliability §12."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections

from config.postgresql import waiting

WORKER_SECONDS = 60  # a request ends after 5 s; what the clock asks for may look at a whole table


def allow(seconds: int) -> None:
    """Set the limit of every connection this process will open; before it opens the first. SQLite has no such limit."""
    for alias in connections:
        database = connections.settings[alias]
        if "postgresql" in str(database["ENGINE"]):
            # The last of several wins.
            given = database["OPTIONS"].get("options", "")
            database["OPTIONS"]["options"] = f"{given} -c statement_timeout={seconds * 1000}"


@contextmanager
def allowed(seconds: int) -> Iterator[None]:
    """Set the limit of the statements within, and of what else comes in this transaction."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
    with waiting.extended(connection.connection, seconds):
        yield
