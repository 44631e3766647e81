"""Distinguish a query that is too large from a database that is busy. Source: docs/reference/data-sets.md §11."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import OperationalError

from config.databases import outage, replica, statements
from datasets.errors import QueryTooLarge


@contextmanager
def limited() -> Iterator[None]:
    """Raise QueryTooLarge if a statement of the block takes too long. Other errors of the database pass."""
    try:
        with statements.limited(replica.connection()):
            yield
    except OperationalError as error:
        if outage.is_out_of_time(error):
            raise QueryTooLarge(seconds=f"{settings.DATABASE_STATEMENT_SECONDS:g}") from error
        raise
