"""A Redis client for requests, with a short time limit.

redis-py's client takes a connection from its pool and counts observers for each command. That takes three times as long
as the connection itself, so this client uses the connection directly.
docs/framework-internals.md lists the private attributes of the framework that this module uses.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


@lru_cache(maxsize=4)
def impatient(url: str, seconds: float) -> "Impatient":
    """Return a client that threads may share. seconds: the limit for connecting and for each answer."""
    return Impatient(url, seconds)


class Impatient:
    """Runs single commands. Each thread has a connection of its own."""

    def __init__(self, url: str, seconds: float) -> None:
        # Only its settings are used. The pool itself counts connections that it made, but not those that have ended.
        pool = redis.ConnectionPool.from_url(
            url, socket_connect_timeout=seconds, socket_timeout=seconds, retry=Retry(NoBackoff(), 0)
        )
        self._connect: Callable[[], Any] = partial(pool.connection_class, **pool.connection_kwargs)  # Any: partly typed
        self._own = threading.local()

    def ask(self, *command: str | int) -> Any:  # Any: whatever it answers
        """Send one command, without retries, and return the raw answer. Raises redis.RedisError."""
        kept, self._own.connection = getattr(self._own, "connection", None), None
        connection = kept if kept is not None and _is_good(kept) else self._connect()
        # It is kept only after its answer was read, so that no later command reads the answer of an earlier one.
        try:
            connection.send_command(*command)  # connects first if needed
            answer = connection.read_response()
        except redis.ResponseError:
            self._own.connection = connection
            raise
        except BaseException:
            connection.disconnect()
            raise
        self._own.connection = connection
        return answer


def _is_good(connection: Any) -> bool:
    """Return whether this process owns the connection and Redis has not closed it."""
    if connection.pid != os.getpid():  # it belongs to the parent process
        return False
    with suppress(redis.RedisError):
        return not connection.can_read()  # unread data means an old answer or the end of the connection
    return False
