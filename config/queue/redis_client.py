"""A Redis client for requests, with a short time limit."""

from functools import lru_cache
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


@lru_cache(maxsize=4)
def impatient(url: str, seconds: float) -> Any:  # Any: redis-py is partly typed
    """Return a client that threads share and that tries each command once.

    seconds: the limit for connecting and for each answer
    """
    once = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(url, socket_connect_timeout=seconds, socket_timeout=seconds, retry=once)
