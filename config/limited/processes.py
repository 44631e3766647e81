"""The child processes of this process: started when needed, kept for the next call, and replaced when they end."""

import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from config.limited import child
from config.limited.child import Life
from config.limited.limits import AllBusy, CallEnded, ProcessLimits, TookTooLong, TooLarge

Result = TypeVar("Result")

_LOOK_SECONDS = 0.2  # between two looks at whether the caller still wants the result
_STARVED = 0.9  # of the time of a call without a processor: the call had no chance
_SHORT_WAIT_SECONDS = 0.4  # for a processor: normal on a machine with work
_END_SECONDS = 10  # for the end of a child that has closed its connection, on a busy machine
LIFE = Life()
_all: "weakref.WeakSet[Processes]" = weakref.WeakSet()
_spawn = get_context("spawn")  # a fork of a process with threads may hang, and would begin with its memory


class _Ended(Exception):
    """The child process ended without an answer. code: its exit code"""

    def __init__(self, code: int | None) -> None:
        self.code = code


class Processes:
    """Up to `number` child processes at the same time."""

    def __init__(self, *, number: int = 2, life: Life = LIFE) -> None:
        self._number = number
        self._life = life
        self.forget()
        _all.add(self)

    def forget(self) -> None:
        """Start without child processes."""
        self._idle: list[_Child] = []
        self._free = threading.BoundedSemaphore(self._number)

    def run(
        self,
        function: Callable[..., Result],
        *arguments: object,
        limits: ProcessLimits,
        files: Sequence[BinaryIO] = (),
        is_unwanted: Callable[[], bool] | None = None,
    ) -> Result:
        """Run a function of a module in a child process and return its result.

        files: open files, which the function gets as its first arguments; their position is shared
        is_unwanted: asked several times a second; True ends the call and its process
        Arguments, result and exceptions must be picklable.
        Raises TooLarge, TookTooLong, AllBusy, CallEnded, RuntimeError if the process fails, and what the function
        raises.
        """
        began = time.monotonic()
        for file in files:
            file.flush()  # the child reads from the system
        call = child.LimitedCall(function=function, arguments=arguments, limits=limits, files=len(files))
        wait_seconds = limits.seconds if limits.wait_seconds is None else limits.wait_seconds
        if not self._free.acquire(timeout=wait_seconds):
            raise AllBusy
        until = limits.seconds + (began if limits.wait_seconds is None else time.monotonic())
        try:
            has_returned, answer = self._call(call, [file.fileno() for file in files], until, is_unwanted)
        finally:
            self._free.release()
        if not has_returned:
            raise answer
        result: Result = answer
        return result

    def _call(
        self, call: child.LimitedCall, files: list[int], until: float, is_unwanted: Callable[[], bool] | None
    ) -> tuple[bool, Any]:
        while True:
            try:
                one, is_warm = self._idle.pop(), True
            except IndexError:
                one, is_warm = _Child(self._life), False
            if is_warm and not one.is_running():  # it ended for lack of work, or was killed: not for this call
                one.end()
                continue
            try:
                answer = one.call(call, files, until, is_unwanted)
            except BaseException as error:
                one.end()
                if not isinstance(error, _Ended):
                    raise
                if is_warm and error.code == 0:  # it ended for lack of work before the call
                    continue
                if error.code is not None and error.code > 0:  # by an error of the program, not by a signal
                    raise RuntimeError(f"the limited process ended with the code {error.code}") from error
                raise TookTooLong if error.code == -signal.SIGXCPU else TooLarge from error
            self._idle.append(one)
            return answer


class _Child:
    def __init__(self, life: Life) -> None:
        self._connection, theirs = _spawn.Pipe()
        self._process = _spawn.Process(target=child.serve, args=(theirs, life), name="limited", daemon=True)
        self._process.start()
        theirs.close()

    def call(
        self, call: child.LimitedCall, files: list[int], until: float, is_unwanted: Callable[[], bool] | None
    ) -> tuple[bool, Any]:
        """Return whether the function returned, and its result or exception.

        Raises TookTooLong, AllBusy, CallEnded, _Ended.
        """
        waited = self._seconds_without_processor()
        try:
            self._connection.send(call)
            child.send(self._connection, files)
            while not self._connection.poll(_seconds_to(until, most=None if is_unwanted is None else _LOOK_SECONDS)):
                if is_unwanted is not None and is_unwanted():
                    raise CallEnded
                if time.monotonic() >= until:
                    waited = self._seconds_without_processor() - waited
                    most = max(call.limits.seconds * _STARVED, _SHORT_WAIT_SECONDS)
                    raise AllBusy if waited > most else TookTooLong
            answer: tuple[bool, Any] = self._connection.recv()
        except (EOFError, ConnectionError) as error:
            self._process.join(_END_SECONDS)
            raise _Ended(self._process.exitcode) from error
        return answer

    def is_running(self) -> bool:
        return self._process.is_alive()

    def _seconds_without_processor(self) -> float:
        """Return how long the process could run, but other work had the processors. Only Linux counts it."""
        try:
            waited = Path(f"/proc/{self._process.pid}/schedstat").read_text().split()[1]
        except OSError:
            return 0
        return int(waited) / 1e9

    def end(self) -> None:
        self._connection.close()
        self._process.kill()
        self._process.join()


def _seconds_to(until: float, *, most: float | None) -> float:
    seconds = max(until - time.monotonic(), 0)
    return seconds if most is None else min(seconds, most)


_processes = Processes()


def run(
    function: Callable[..., Result], *arguments: object, limits: ProcessLimits, files: Sequence[BinaryIO] = ()
) -> Result:
    """Run a function in a child process of this process, as `Processes.run` does."""
    return _processes.run(function, *arguments, limits=limits, files=files)


def _forget() -> None:
    """Leave the child processes to the parent of this process."""
    for each in _all:
        each.forget()


os.register_at_fork(after_in_child=_forget)
