"""Read several tables as they were at one moment, without a lock that a writer waits for."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections, transaction


@contextmanager
def snapshot(using: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Let all reads of the block see the data of one moment. The block must not write.

    Inside another transaction this changes nothing: on PostgreSQL its level is fixed with its first statement.
    """
    connection = connections[using]
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(using=using):
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django's own transactions are immediate: they wait for writers
            try:
                yield
            finally:
                cursor.execute("COMMIT")
