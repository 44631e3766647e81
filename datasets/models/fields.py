"""Two text columns that behave the same on PostgreSQL and SQLite."""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class CodePointTextField(models.TextField):  # type: ignore[type-arg]  # its types follow from TextField
    """Text that is compared, sorted and unique by code point, independent of the database's locale.

    In UTF-8 the order of bytes is the order of code points. PostgreSQL's collation "C" and SQLite's BINARY use it.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:  # Any: the stubs have no name for this type
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters


class JSONTextField(models.TextField):  # type: ignore[type-arg]
    """JSON stored as the text that was written. PostgreSQL's `json` type validates it and keeps it unchanged.

    `jsonb` (Django's JSONField) stores each number as a decimal: 1e308 would come back as 309 digits, and -0.0 without
    its sign. A read would also have to parse and serialize each record. SQL functions work on `json` as on `jsonb`, so
    sums and groups need no second column. SQLite's JSON functions accept plain text.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "json" if connection.vendor == "postgresql" else "text"

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:  # Any: untyped in Django
        """Cast to text, because psycopg parses `json` values."""
        return (f"{sql}::text" if compiler.connection.vendor == "postgresql" else sql), params
