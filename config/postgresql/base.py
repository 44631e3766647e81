"""The backend behind a DATABASE_URL that names PostgreSQL; Django wants a module of this name.

Source: Security and reliability §12, §13.
"""

import time
from typing import Any

import psycopg
from django.db.backends.postgresql import base, operations

from config.postgresql.waiting import Connection, check_open, silence


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> Any:  # Any: untyped in Django
        """Say what was executed also of a prepared statement, of which psycopg keeps no words."""
        compose: Any = self.compose_sql
        return super().last_executed_query(cursor, sql, params) or compose(sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, over connections that give up, and that are not even asked for while the server is silent."""

    ops_class = DatabaseOperations

    def __init__(self, settings_dict: dict[str, Any], alias: str = "default") -> None:
        super().__init__(settings_dict, alias)
        pool = settings_dict["OPTIONS"].get("pool")
        if pool:
            pool["connection_class"] = Connection

    @property
    def pool(self) -> Any:  # Any: untyped in Django
        pool = super().pool
        if pool is not None:
            pool._check = check_open  # Django 5.2 always hands over a check of its own, a round trip for each request
        return pool

    def prepared_cursor(self) -> Any:  # Any: untyped in Django
        """Return a cursor whose statements the server prepares once it has seen them a few times.

        Each connection does so for itself, where `prepare_threshold` lets it; a parameter must be of its column's type.
        """
        self.ensure_connection()
        with self.wrap_database_errors:
            return self._prepare_cursor(  # type: ignore[attr-defined]  # not in django-stubs
                base.ServerBindingCursor(self.connection)  # type: ignore[call-arg]  # likewise
            )

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # Any: untyped in Django
        """Raises psycopg.OperationalError."""
        if not silence.lets_ask():
            raise psycopg.OperationalError("PostgreSQL did not answer a moment ago")
        began = time.monotonic()
        try:
            return super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            silence.note_vain(began)
            raise
