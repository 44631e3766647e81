"""Read many rows in blocks, with a server-side cursor on PostgreSQL."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.models import QuerySet

Row = TypeVar("Row")

_SLOW_READER = "60s"  # a caller that reads its export more slowly loses the connection


@contextmanager
def streaming(using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Keep one transaction of PostgreSQL open while the block reads from a server-side cursor.

    A pooler gives the server connection to another client between two transactions, and the cursor would be gone.
    SQLite needs none, and its transaction would hold up all writers. Source: docs/reference/security.md §12.
    """
    connection = connections[using]
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(using=using):
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, true)", [_SLOW_READER])
        yield


def streamed(rows: QuerySet[Any, Row], *, chunk_size: int) -> Iterator[Row]:
    """Yield the rows like `iterator`, in a transaction that stays open until the last row or `close`."""
    with streaming(rows.db):
        yield from rows.iterator(chunk_size=chunk_size)
