"""Redis as a request asks it: one that does not answer in time is gone without.

redis-py's client takes a connection from its pool for each command and counts it for observers: that took three times
as long as what its connection itself does, which is used here.
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
    """Return this process's way there; seconds: of connecting and of each answer. Its threads may share it."""
    return Impatient(url, seconds)


class Impatient:
    """Single commands, by a connection of each thread's own."""

    def __init__(self, url: str, seconds: float) -> None:
        # Never asked for a connection: it counts those it has made, up to a limit, and none that have gone.
        pool = redis.ConnectionPool.from_url(
            url, socket_connect_timeout=seconds, socket_timeout=seconds, retry=Retry(NoBackoff(), 0)
        )
        self._connect: Callable[[], Any] = partial(pool.connection_class, **pool.connection_kwargs)  # Any: part typed
        self._own = threading.local()

    def ask(self, *command: str | int) -> Any:  # Any: whatever it answers
        """Say one command, once, and return its answer as it came. Raises redis.RedisError."""
        kept, self._own.connection = getattr(self._own, "connection", None), None
        connection = kept if kept is not None and _is_good(kept) else self._connect()
        # Kept again only once nothing more can come by it: nobody shall read an answer to somebody else.
        try:
            connection.send_command(*command)  # connects first, where need be
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
    """Say whether it is this process's own, and stands: Redis may have started anew since it was last used."""
    if connection.pid != os.getpid():  # it came along from the process this one was forked of
        return False
    with suppress(redis.RedisError):
        return not connection.can_read()  # nothing is due: there is an answer nobody took, or the end
    return False
