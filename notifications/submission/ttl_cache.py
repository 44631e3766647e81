"""Cache services, keys, templates and senders in this process for two seconds.

A change by another process, such as the revocation of a key, takes effect after at most this time.
Source: docs/reference/sending-api.md §2.2.
"""

import time
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from cachetools import TLRUCache

SECONDS = 2.0
SIZE = 1000  # entries of one function; a template may be megabytes long

P = ParamSpec("P")
T = TypeVar("T")

_caches: list[tuple[TLRUCache[Hashable, Any], Lock]] = []  # Any: the results of the functions


def cached(read: Callable[P, T | None]) -> Callable[P, T | None]:
    """Cache the results of a function with hashable arguments. None is not cached."""
    # TTLCache would count the age from the end of a read, and a read under load may take seconds.
    cache: TLRUCache[Hashable, tuple[float, T]] = TLRUCache(SIZE, ttu=lambda key, entry, now: entry[0] + SECONDS)
    lock = Lock()
    _caches.append((cache, lock))

    @wraps(read)
    def look_up(*args: P.args, **kwargs: P.kwargs) -> T | None:
        key = (args, tuple(kwargs.items()))
        try:
            with lock:
                return cache[key][1]
        except KeyError:
            began_at = time.monotonic()
        value = read(*args, **kwargs)
        if value is not None:
            with lock:
                cache[key] = (began_at, value)
        return value

    return look_up


def clear() -> None:
    """Delete all cached results of this process."""
    for cache, lock in _caches:
        with lock:
            cache.clear()
