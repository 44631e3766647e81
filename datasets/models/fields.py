"""Two kinds of text column that mean the same on PostgreSQL and on SQLite."""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class CodePointTextField(models.TextField):  # type: ignore[type-arg]  # its types follow from TextField
    """Text that is compared, sorted and unique code point by code point, whatever the database's own language.

    In UTF-8 the order of bytes is the order of code points: collation "C" on PostgreSQL, SQLite's own BINARY.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:  # Any: the stubs know no name for it
        parameters = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters


class JSONTextField(models.TextField):  # type: ignore[type-arg]
    """JSON kept as the text it was written as: PostgreSQL's `json`, which checks it and leaves it alone.

    Not `jsonb` (Django's JSONField): that keeps every number as a decimal, so 1e308 would come back as 309 digits and
    -0.0 without its sign, and a read would parse and write each record again. Functions and operators on `json` read
    the same in SQL, so sums and groups over a field need no second column; SQLite's JSON functions take plain text.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "json" if connection.vendor == "postgresql" else "text"

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:  # Any: Django's own machinery
        """Fetch the text: psycopg would parse `json` on the way."""
        return (f"{sql}::text" if compiler.connection.vendor == "postgresql" else sql), params
