"""Whose turn it is to write, among the threads and processes of one machine.

SQLite lets in one at a time, and has the others look again after 1, 2, 5, and at last 100 ms: of 16 callers one waited
for most of a second while nobody wrote. Here the threads of a process stand in line, and only the first of them looks
whether another process writes, every half millisecond. SQLite still decides: who has waited for too long, or cannot
wait here, asks it as before.
"""

import fcntl
import os
import threading
import time
from contextlib import suppress
from functools import cache

LOOK_AGAIN_SECONDS = 0.000_5


class Turn:
    """This process's place in the line; who has the turn holds a lock on the empty file at `path`."""

    def __init__(self, path: str) -> None:
        self._line = threading.RLock()
        self._first: int | None = None  # the thread that is
        self._file: int | None = None
        with suppress(OSError):  # a folder nobody can write to: then there are no turns to take
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, seconds: float) -> bool:
        """Wait for the turn, at most so long; say whether it came. Give it up in any case, after an exception too."""
        until = time.monotonic() + seconds
        if not self._line.acquire(timeout=seconds):
            return False
        self._first = threading.get_ident()
        while self._file is not None and not _lock(self._file):
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK_AGAIN_SECONDS)
        return True

    def give_up(self) -> None:
        """Let the next one in, where this thread has the turn or waits for it; else do nothing."""
        if self._first != threading.get_ident():
            return
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._first = None
        self._line.release()

    def forget(self) -> None:
        """Leave alone what a fork has brought along: it is the parent's."""
        self._first = None
        if self._file is not None:
            os.close(self._file)
            self._file = None


@cache
def turn_of(path: str) -> Turn:
    turn = Turn(path)
    _known.append(turn)
    return turn


_known: list[Turn] = []


def _lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _begin_anew() -> None:
    while _known:
        _known.pop().forget()
    turn_of.cache_clear()


os.register_at_fork(after_in_child=_begin_anew)
