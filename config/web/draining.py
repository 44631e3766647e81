"""Drain this web server before it stops: proxies stop sending requests to it, and running requests end.

Source: docs/reference/running.md §13.
"""

import mmap
import os
import signal
import threading
from typing import Any

# One byte of memory that the server shares with its web processes, because it is imported before they are forked.
_has_begun = mmap.mmap(-1, 1)


def has_begun() -> bool:
    """Return whether the server is about to stop."""
    return _has_begun[0] == 1


def before(number: signal.Signals, *, seconds: float) -> None:
    """Make a signal drain this process for some seconds before its present handler is called."""
    stop: Any = signal.getsignal(number)  # Any: a handler in Python
    server = os.getpid()

    def drain(number: int, frame: Any) -> None:  # Any: not used
        if os.getpid() != server:  # a web process that was just forked
            stop(number, frame)
        elif not has_begun():
            _has_begun[0] = 1
            threading.Timer(seconds, stop, (number, frame)).start()

    signal.signal(number, drain)
