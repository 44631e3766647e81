"""Drain this web server before it stops: proxies stop sending requests to it, and running requests end.

Source: docs/reference/running.md §13.
"""

import mmap
import time
from collections.abc import Callable

# One byte of memory that the server shares with its web processes, because it is imported before they are forked.
_has_begun = mmap.mmap(-1, 1)


def has_begun() -> bool:
    """Return whether the server is about to stop."""
    return _has_begun[0] == 1


def before(stop: Callable[[], None], *, seconds: float) -> Callable[[], None]:
    """Return a function that drains for some seconds and then calls `stop`."""

    def drain() -> None:
        _has_begun[0] = 1
        time.sleep(seconds)
        stop()

    return drain
