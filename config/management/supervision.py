"""Run several programs as forks of this process, and start one that dies again.

A fork shares the memory of what this process has imported, and starts in milliseconds. So this process must have no
thread and no open connection: a fork has neither, but believes to have them.
Source: docs/reference/running.md §2.
honcho 2.0 does not fit. It runs commands through a shell and does not start a program again.
"""

import ctypes
import gc
import os
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType

from django.db import connections

GRACE_SECONDS = 10  # for running requests and tasks
LAST_LINES = 20
INTERRUPTED = 130  # the exit code of a program that Ctrl-C ended, as in a shell
FIRST_DELAY_SECONDS = 0.5  # before a program that died starts again; doubled if it dies soon again
LONGEST_DELAY_SECONDS = 4.0  # with its start, it runs again within 5 s
STEADY_SECONDS = 10.0  # a program that ran for longer has not died at its start
_LOOK_SECONDS = 0.05
_PR_SET_PDEATHSIG = 1  # prctl(2)


class Ready:
    """Counts the programs that are ready. They are forks, so they report it through a pipe."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        self.number = 0

    def note(self) -> None:
        os.write(self._writer, b".")

    def have(self, number: int) -> bool:
        """Return whether this number of programs is ready."""
        with suppress(BlockingIOError):
            self.number += len(os.read(self._reader, 64))
        return self.number >= number


def fork(program: Callable[[], object]) -> int:
    """Run a function as a program in a fork, and return the process id. Its result is the exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # otherwise the fork would write what is in the buffer once more
    pid = os.fork()
    if pid:
        return pid
    try:
        code = program()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BaseException:  # noqa: BLE001  like the interpreter
        traceback.print_exc()
        code = 1
    with suppress(OSError):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


class Child:
    """One program, its process and its last lines.

    show: gets each line of its output. The program then has its own process group, so that only the supervisor gets
        Ctrl-C. None: the program writes to the output of this process, and belongs to its group
    """

    def __init__(self, name: str, program: Callable[[], object], show: Callable[[str], None] | None) -> None:
        self.name = name
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self.starts_at = 0.0  # as time.monotonic
        self.code: int | None = None  # of its last process
        self._pid = 0
        self._program, self._show = program, show
        self._started_at = 0.0
        self.delay_seconds = 0.0  # from the end of its last process to the next start
        self._output, self._writer = os.pipe() if show else (-1, -1)  # both stay open for its next process
        self._rest = b""
        if show:
            os.set_blocking(self._output, False)

    @property
    def is_running(self) -> bool:
        return self._pid != 0

    @property
    def ending(self) -> str:
        """Return how its last process ended, in words."""
        if self.code is not None and self.code < 0:
            return f"was ended by {signal.Signals(-self.code).name}"
        return f"ended with exit code {self.code}"

    def start(self) -> None:
        self._started_at = time.monotonic()
        self.code = None
        self._pid = fork(self._run)

    def has_died(self) -> bool:
        """Return whether the process has ended since the last call. Then the rest of its own group is killed."""
        if not self._pid:
            return False
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            return False
        self.code, self._pid = os.waitstatus_to_exitcode(status), 0
        if self._show is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)  # they would keep the port
        is_steady = time.monotonic() - self._started_at > STEADY_SECONDS
        longer = min(max(self.delay_seconds * 2, FIRST_DELAY_SECONDS), LONGEST_DELAY_SECONDS)
        self.delay_seconds = FIRST_DELAY_SECONDS if is_steady else longer
        self.starts_at = time.monotonic() + self.delay_seconds
        return True

    def send(self, number: signal.Signals) -> None:
        """Signal the process. SIGKILL is sent to the rest of its own group, too."""
        with suppress(ProcessLookupError):
            if self._pid and self._show is not None and number == signal.SIGKILL:
                os.killpg(self._pid, number)
            elif self._pid:
                os.kill(self._pid, number)

    def read(self) -> None:
        """Show the lines that the program has written since the last call."""
        if self._show is None:
            return
        with suppress(BlockingIOError):
            while read := os.read(self._output, 65_536):
                *lines, self._rest = (self._rest + read).split(b"\n")
                for line in (line.decode(errors="replace").rstrip() for line in lines):
                    if line:
                        self.last_lines.append(line)
                        self._show(f"{self.name:<6} | {line}")

    def _run(self) -> object:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with suppress(OSError, AttributeError):  # Linux only
            Path("/proc/self/comm").write_text(self.name)  # ps and top show this name
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)  # when the supervisor is killed
        if self._show is not None:
            os.setsid()
            os.close(self._output)
            os.dup2(self._writer, 1)
            os.dup2(self._writer, 2)
        gc.enable()
        return self._program()


class Supervisor:
    """Starts the programs and watches them until a signal requests a stop.

    died: called with each program that died and starts again
    show: gets the output of all programs, a line at a time; None: they write to the output of this process
    """

    def __init__(
        self,
        programs: Mapping[str, Callable[[], object]],
        *,
        died: Callable[[Child], None],
        show: Callable[[str], None] | None = None,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._died, self._show, self._grace_seconds = died, show, grace_seconds
        self._stops = 0
        self._is_ready = False
        self._children = [Child(name, program, self._show_line if show else None) for name, program in programs.items()]

    def run(self, is_ready: Callable[[], bool], say_ready: Callable[[], None]) -> Child | None:
        """Watch the programs until a stop is requested. Return a program that died before all were ready, or None.

        Output from before all are ready is not shown; it is in `last_lines`.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask_to_stop)
        connections.close_all()
        gc.freeze()  # otherwise the garbage collection of a child would copy all shared pages
        for child in self._children:
            child.start()
        fallen = None
        while not self._stops and fallen is None:
            self._look()
            if not self._is_ready and is_ready():
                self._is_ready = True
                say_ready()
            fallen = self._restart()
        self._is_ready = self._is_ready and fallen is None
        self._stop_all()
        return fallen

    def _restart(self) -> Child | None:
        """Start programs again that have died. Return the first one instead if not all have been ready."""
        for child in self._children:
            if child.has_died():
                child.read()
                if not self._is_ready:
                    return child
                self._died(child)
            if not child.is_running and time.monotonic() >= child.starts_at:
                child.start()
        return None

    def _stop_all(self) -> None:
        """Stop all programs. Kill them after the grace time or on a second Ctrl-C."""
        asked, deadline = self._stops, time.monotonic() + self._grace_seconds
        for child in self._children:
            child.send(signal.SIGTERM)
        while any(child.is_running and not child.has_died() for child in self._children):
            if time.monotonic() > deadline or self._stops > max(asked, 1):
                break
            self._look()
        for child in self._children:
            child.send(signal.SIGKILL)
            child.read()

    def _look(self) -> None:
        time.sleep(_LOOK_SECONDS)
        for child in self._children:
            child.read()

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stops += 1

    def _show_line(self, line: str) -> None:
        if self._is_ready and self._show:
            self._show(line)
