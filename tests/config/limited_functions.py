"""Functions that `test_limited.py` runs in a child process. They import nothing."""

import os
import sys
import threading
import time
from typing import BinaryIO


class Refused(Exception):
    """An error of a function."""


class NeedsTwo(Exception):
    """An error that pickle writes, but cannot read: it needs two arguments and keeps one."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")


class HasLock(Exception):
    """An error that pickle cannot write."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def fail_oddly(kind: str) -> None:
    raise NeedsTwo("row 1", "no cell") if kind == "unread" else HasLock


def return_oddly() -> object:
    return threading.Lock()


def double(number: int) -> int:
    return number * 2


def take_bytes(number: int) -> int:
    return len(bytearray(number))


def compute_endlessly() -> None:
    while True:
        pass


def wait(seconds: float) -> None:
    time.sleep(seconds)


def begin_and_wait(begun: BinaryIO) -> None:
    begun.write(b".")
    begun.flush()
    time.sleep(600)


def abort() -> None:
    """End as a library does that cannot allocate memory."""
    os.abort()


def recurse(number: int) -> int:
    return recurse(number + 1)


def refuse(reason: str) -> None:
    raise Refused(reason)


def upper(source: BinaryIO, target: BinaryIO) -> int:
    return target.write(source.read().upper())


def modules() -> list[str]:
    return list(sys.modules)


def process_id() -> int:
    return os.getpid()


def wait_long(noted_in: str) -> None:
    """Write the id of this process, then wait."""
    with open(noted_in, "w") as noted:
        noted.write(str(os.getpid()))
    time.sleep(600)
