"""Redis as a request asks it: one that does not answer in time is gone without.

redis-py's client takes a connection from its pool for each command, looks whether it still stands, and counts it for
observers: that took three times as long as what its connection itself does, which is used here.
"""

import os
import threading
from collections.abc import Callable, Sequence
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
        """Say one command, and return its answer as it came.

        It must bear to be carried out twice: where a connection has gone since it was last used, as when Redis started
        anew, it is said once more. Raises redis.RedisError.
        """
        kept: Any = getattr(self._own, "connection", None)
        self._own.connection = None
        if kept and kept.pid == os.getpid():  # else it came along from the process this one was forked of
            with suppress(redis.ConnectionError):
                return self._say(kept, command)
        return self._say(self._connect(), command)

    def _say(self, connection: Any, command: Sequence[str | int]) -> Any:
        """Keep the connection only once nothing more can come by it: nobody shall read an answer to somebody else."""
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
