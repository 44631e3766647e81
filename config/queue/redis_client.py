"""Run single Redis commands for requests, with a short time limit.

Each thread has a connection of its own. A client of redis-py takes one from its pool for each command, under a lock,
and records each use. With it, a POST of a message needs 5 % more CPU time.
"""

import os
import threading
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


@lru_cache(maxsize=4)
def impatient(url: str, seconds: float) -> "ImpatientRedis":
    """Return a client that threads share and that tries each command once.

    seconds: the limit for connecting and for each answer
    """
    return ImpatientRedis(url, seconds)


class ImpatientRedis:
    """Runs single commands on a connection of the thread."""

    def __init__(self, url: str, seconds: float) -> None:
        pool = redis.ConnectionPool.from_url(
            url, socket_connect_timeout=seconds, socket_timeout=seconds, retry=Retry(NoBackoff(), 0)
        )
        self._new: Callable[[], Any] = partial(pool.connection_class, **pool.connection_kwargs)  # Any: partly typed
        self._of_thread = threading.local()

    def execute_command(self, *command: str | bytes | int) -> Any:  # Any: depends on the command
        """Send one command once and return its answer. Raises redis.RedisError."""
        connection = self._connection()
        try:
            connection.send_command(*command)  # connects if necessary
            return connection.read_response()
        except redis.ResponseError:
            raise  # the answer is an error
        except BaseException:
            connection.disconnect()  # otherwise the next command could read this answer
            raise

    def _connection(self) -> Any:
        connection = getattr(self._of_thread, "connection", None)
        if connection is None or connection.pid != os.getpid():  # a forked process needs its own
            connection = self._of_thread.connection = self._new()
        elif connection.is_connected and not _is_idle(connection):
            connection.disconnect()
        return connection


def _is_idle(connection: Any) -> bool:
    """Return whether there is nothing to read. Otherwise Redis has closed the connection, such as for a restart."""
    try:
        return not connection.can_read()
    except redis.RedisError:
        return False
