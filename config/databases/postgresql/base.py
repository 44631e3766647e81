"""The database backend for PostgreSQL: Django's backend with a time limit for answers. Django needs this module name.

Source: docs/reference/security.md §12, §13.
docs/framework-internals.md lists the private attribute of the framework that this module uses.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS
from django.db.backends.postgresql import base, operations

from config.databases.postgresql.waiting import Connection, ReplicaConnection, is_open


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> Any:  # Any: untyped in Django
        """Return the SQL of prepared statements, too. psycopg does not keep it."""
        compose: Any = self.compose_sql
        return super().last_executed_query(cursor, sql, params) or compose(sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection with a time limit for answers, behind a circuit breaker."""

    ops_class = DatabaseOperations

    def __init__(self, settings_dict: dict[str, Any], alias: str = "default") -> None:
        super().__init__(settings_dict, alias)
        pool = settings_dict["OPTIONS"].get("pool")
        self._connection_class = Connection if alias == DEFAULT_DB_ALIAS else ReplicaConnection
        if pool:
            pool["connection_class"] = self._connection_class

    def get_connection_params(self) -> dict[str, Any]:
        """Prepare no statements by default.

        psycopg counts each statement before it prepares one. It would keep the last 100 of each connection with all
        values: an upload of 3 MB left 7 MiB in the process.
        """
        return {**super().get_connection_params(), "prepare_threshold": None}

    @contextmanager
    def prepared_cursor(self) -> Iterator[Any]:  # Any: untyped in Django
        """Yield a cursor whose statements the server prepares after a few uses.

        `prepare_threshold` must allow it. A parameter must have the type of its column.
        """
        self.ensure_connection()
        connection: Any = self.connection
        connection.prepare_threshold = self.settings_dict["OPTIONS"].get("prepare_threshold")
        try:
            with self.wrap_database_errors:
                bare: Any = base.ServerBindingCursor(connection)  # type: ignore[call-arg]  # not in django-stubs
            with self.make_debug_cursor(bare) if self.queries_logged else self.make_cursor(bare) as cursor:
                yield cursor
        finally:
            connection.prepare_threshold = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # Any: untyped in Django
        """Raise psycopg.OperationalError if there is no connection in time, or at once while the circuit is open."""
        breaker = self._connection_class.breaker
        if not breaker.allows():
            raise psycopg.OperationalError("PostgreSQL did not answer a moment ago")
        began = time.monotonic()
        pool: Any = self.pool  # Any: untyped in Django
        try:
            while True:
                connection = super().get_new_connection(conn_params)
                if pool is None or is_open(connection):
                    return connection
                pool.putconn(connection)  # the pool replaces it
        except psycopg.OperationalError:
            breaker.note_failure(began)
            raise


def _forget_pools() -> None:
    """Forget the pools of the parent process: their threads, which open connections, do not exist in a forked one."""
    pools: dict[str, Any] = base.DatabaseWrapper._connection_pools  # type: ignore[attr-defined]  # not in django-stubs
    pools.clear()


os.register_at_fork(after_in_child=_forget_pools)
