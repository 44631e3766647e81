"""Redis as a request asks it: one that does not answer in time is gone without."""

from functools import lru_cache

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


@lru_cache(maxsize=4)
def impatient(url: str, seconds: float) -> redis.Redis:
    """Return this process's way there; seconds: of connecting and of each answer. Its threads may share it."""
    return redis.Redis.from_url(
        url, socket_connect_timeout=seconds, socket_timeout=seconds, retry=Retry(NoBackoff(), 0)
    )
