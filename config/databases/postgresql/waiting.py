"""A connection to PostgreSQL with a time limit for each answer.

A server that is frozen or whose host is gone neither refuses nor closes a connection. Then statement_timeout does
nothing, and tcp_user_timeout does nothing while the kernel acknowledges. So each wait ends here, a little later than
statement_timeout ends it on the server. Source: docs/reference/security.md §12, §13.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

import re
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from psycopg_pool import ConnectionPool

from config.circuit_breaker import CircuitBreaker

BEYOND_SECONDS = 5.0  # a live server has ended the statement long before
QUIET_SECONDS = 5.0  # a firewall may have dropped a connection that was unused for this time

# Without it each request would wait for the whole time limit, on a thread that others need. One failure does not open
# it: the first connection of a process can be slow on a busy machine. Workers do not enforce it.
breaker = CircuitBreaker(
    failures=2,
    open_seconds=1.0,  # requests succeed within 5 s after PostgreSQL is back
    probe_seconds=4.0,  # longer than a probe waits for a connection
    is_enforced=False,
)


class Connection(psycopg.Connection[Any]):
    """A connection that closes if no answer comes within `answer_seconds`. None means no limit."""

    breaker = breaker
    answer_seconds: float | None = None
    answered_at = float("-inf")

    @classmethod
    def connect(cls, conninfo: str = "", **given: Any) -> Self:  # Any: psycopg's signature
        """Connect, with the time limit that `options` contain. Raises psycopg.OperationalError.

        The option `sends_options` is False for PgBouncer, which refuses `options`. The role then has the limits.
        """
        limit = answer_seconds(str(given.get("options", "")))
        if not given.pop("sends_options", True):
            given.pop("options", None)
        connection = super().connect(conninfo, **given)
        connection.answer_seconds = limit
        return connection

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # Any: psycopg's signature
        """Raise psycopg.OperationalError."""
        began = time.monotonic()
        limit = self.answer_seconds if timeout is None else timeout
        try:
            result = super().wait(gen, interval, limit)
        except psycopg.OperationalError as error:
            if error.sqlstate is None and limit is not None and time.monotonic() - began >= limit:
                self.close()  # a later answer would belong to another statement
                self.breaker.note_failure(began)
            raise
        self.answered_at = time.monotonic()
        self.breaker.note_success()
        return result

    def set_autocommit(self, value: bool) -> None:
        """Set it only if it changes. Django sets it each time it takes a connection from the pool."""
        if value != self.autocommit:
            super().set_autocommit(value)


class ReplicaConnection(Connection):
    """A connection to a replica, whose outage must not stop calls of the primary."""

    breaker = CircuitBreaker(failures=1, open_seconds=5.0, probe_seconds=4.0)


def is_open(connection: Connection) -> bool:
    """Return whether a connection of the pool works. Close it if the server has closed it.

    A server that stops announces it, so unread data in the socket means that. To poll costs a twentieth of a query,
    and Django's own check costs a query for each request.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0) or time.monotonic() - connection.answered_at > QUIET_SECONDS:
        try:
            ConnectionPool.check_connection(connection)
        except psycopg.OperationalError:
            connection.close()
            return False
    return True


@contextmanager
def extended(connection: Connection, seconds: float) -> Iterator[None]:
    """Extend the time limit of answers in the block."""
    usual, connection.answer_seconds = connection.answer_seconds, seconds + BEYOND_SECONDS
    yield
    connection.answer_seconds = usual


def answer_seconds(options: str) -> float | None:
    """Return the time limit of an answer for the statement_timeout in a connection's options.

    >>> answer_seconds("-c statement_timeout=5000 -c statement_timeout=60000"), answer_seconds("-c statement_timeout=0")
    (65.0, None)
    """
    given = re.findall(r"statement_timeout=(\d+)", options)
    milliseconds = int(given[-1]) if given else 0
    return milliseconds / 1000 + BEYOND_SECONDS if milliseconds else None
