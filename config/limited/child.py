"""The child process: run one function after another until the parent is gone or there is no more work.

It must import neither Django nor models, which would take 100 MiB of the memory of each call.
"""

import gc
import math
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any

from config.limited.limits import MIB, ProcessLimits, TooLarge

NICENESS = 10  # other processes of the machine come first


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedCall:
    """One call. files: the number of open files that follow; they are the first arguments"""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    limits: ProcessLimits
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """When a child process ends by itself: without a call, after so many, or if it keeps more memory after one."""

    idle_seconds: float = 60
    most_calls: int = 1_000_000
    keeps_bytes: int = 150 * MIB


def serve(connection: Connection, life: Life) -> None:
    """Answer each call with whether it returned, and with its result or its exception."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    with suppress(OSError):
        os.nice(NICENESS)
    gc.set_threshold(10_000, 20, 20)  # Python's default threshold takes a quarter of the time of an import
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        for _ in range(life.most_calls):
            if not connection.poll(life.idle_seconds):
                return
            call: LimitedCall = connection.recv()
            with ExitStack() as files:
                opened = [files.enter_context(os.fdopen(each, "r+b")) for each in receive(connection, call.files)]
                answer = _answer(call, opened)
            connection.send_bytes(_packed(answer))
            if _resident_bytes() > life.keeps_bytes:
                return


def _end_with_parent() -> None:
    """End this process, in the middle of a call too, once its parent is gone: another may do the same work again."""
    if (parent := parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _packed(answer: tuple[bool, object]) -> Any:  # Any: a view of bytes
    """Return the answer as bytes, or a RuntimeError if it is an exception that the parent could not read."""
    try:
        packed = ForkingPickler.dumps(answer)
        if not answer[0]:
            ForkingPickler.loads(packed)
    except Exception:  # noqa: BLE001  libraries raise any
        return ForkingPickler.dumps((False, RuntimeError(f"{type(answer[1]).__name__} cannot be sent to the parent")))
    return packed


def send(connection: Connection, files: list[int]) -> None:
    """Give the process at the other end these open files."""
    if files:
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            socket.send_fds(end, [b"f"], files)


def receive(connection: Connection, number: int) -> list[int]:
    """Return the open files that the process at the other end gives."""
    if not number:
        return []
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        return socket.recv_fds(end, 1, number)[1]


def _answer(call: LimitedCall, files: list[Any]) -> tuple[bool, object]:
    _limit(call.limits)
    try:
        return True, call.function(*files, *call.arguments)
    except (MemoryError, RecursionError):
        return False, TooLarge()
    except Exception as error:  # noqa: BLE001  the parent raises it
        return False, error.with_traceback(None)
    finally:
        _limit(None)


def _limit(limits: ProcessLimits | None) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = math.ceil(used.ru_utime + used.ru_stime) + limits.cpu_seconds if limits else resource.RLIM_INFINITY
    _set(resource.RLIMIT_CPU, seconds)
    _set(resource.RLIMIT_AS, limits.memory_bytes if limits else resource.RLIM_INFINITY)


def _set(kind: int, value: int) -> None:
    with suppress(ValueError, OSError):  # macOS refuses a limit of the address space
        resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))


def _resident_bytes() -> int:
    """Return the memory in use now. The largest use, as the system reports it, includes that of the parent."""
    try:
        with open("/proc/self/statm") as sizes:
            return int(sizes.read().split()[1]) * resource.getpagesize()
    except FileNotFoundError:  # not on Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
