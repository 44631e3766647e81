"""A connection that does not wait for ever.

A server that is stopped, or whose host is gone, neither refuses nor closes: against it statement_timeout does nothing,
and tcp_user_timeout neither while its kernel goes on to acknowledge. So each wait has an end of its own here, a little
after the one the server would have made. Source: Security and reliability §12, §13.
"""

import re
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg
from psycopg_pool import ConnectionPool

from config.postgresql.silence import Silence

BEYOND_SECONDS = 5.0  # the statement_timeout of a server that lives has ended it long before
QUIET_SECONDS = 5.0  # a connection unused for so long may have been forgotten on the way by somebody who told nobody

silence = Silence()


class Connection(psycopg.Connection[Any]):
    """Gives up, and closes, when nothing comes for `answer_seconds`; None: waits for ever."""

    answer_seconds: float | None = None
    answered_at = float("-inf")

    @classmethod
    def connect(cls, conninfo: str = "", **options: Any) -> Self:  # Any: as psycopg has them
        """Raises psycopg.OperationalError."""
        connection = super().connect(conninfo, **options)
        connection.answer_seconds = answer_seconds(str(options.get("options", "")))
        return connection

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # Any: as psycopg has them
        """Raises psycopg.OperationalError."""
        began = time.monotonic()
        limit = self.answer_seconds if timeout is None else timeout
        try:
            result = super().wait(gen, interval, limit)
        except psycopg.OperationalError as error:
            if error.sqlstate is None and limit is not None and time.monotonic() - began >= limit:
                self.close()  # what came now would be the answer to something else
                silence.note_vain(began)
            raise
        self.answered_at = time.monotonic()
        silence.note_answer()
        return result


def check_open(connection: Connection) -> None:
    """Raises psycopg.OperationalError where a connection of the pool has been closed by the server.

    A server that goes says so, and what it said waits in the socket: to look there costs a twentieth of asking.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0) or time.monotonic() - connection.answered_at > QUIET_SECONDS:
        ConnectionPool.check_connection(connection)


@contextmanager
def extended(connection: Connection, seconds: float) -> Iterator[None]:
    """Wait for answers as long as statements may take within."""
    usual, connection.answer_seconds = connection.answer_seconds, seconds + BEYOND_SECONDS
    yield
    connection.answer_seconds = usual


def answer_seconds(options: str) -> float | None:
    """Return how long an answer is waited for, by the statement_timeout among a connection's options.

    >>> answer_seconds("-c statement_timeout=5000 -c statement_timeout=60000"), answer_seconds("-c statement_timeout=0")
    (65.0, None)
    """
    given = re.findall(r"statement_timeout=(\d+)", options)
    milliseconds = int(given[-1]) if given else 0
    return milliseconds / 1000 + BEYOND_SECONDS if milliseconds else None
