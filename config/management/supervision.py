"""Run several processes as one: show their output together, and stop all when one ends.

Source: docs/reference/running.md §2.
honcho 2.0 does not fit. It runs commands through a shell, does not show the last lines of a failed process, and
does not react to a second Ctrl-C.
"""

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FrameType

from config.env import ROOT

GRACE_SECONDS = 10  # for running requests and tasks
LAST_LINES = 20
_LOOK_SECONDS = 0.05


class Child:
    """One process and its last lines. It has its own process group, so that only the supervisor gets Ctrl-C."""

    def __init__(self, name: str, command: Sequence[str], show: Callable[[str], None]) -> None:
        self.name = name
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._show = show
        self._process = subprocess.Popen(  # noqa: S603  fixed programs, no user input
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def code(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.poll()

    def send(self, number: signal.Signals) -> None:
        """Signal the process. SIGKILL is sent to its children, too."""
        with suppress(ProcessLookupError):
            if number == signal.SIGKILL:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    def drain(self) -> None:
        """Wait until its last lines are read."""
        self._reader.join(timeout=1)

    def _read(self) -> None:
        for line in self._process.stdout or ():
            if line.strip():
                self.last_lines.append(line.rstrip())
                self._show(f"{self.name:<6} | {line.rstrip()}")


class Supervisor:
    """Starts the processes and watches them until one ends or a signal requests a stop."""

    def __init__(self, commands: Mapping[str, Sequence[str]], write: Callable[[str], None]) -> None:
        self._write = write
        self._stops = 0
        self._is_ready = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask_to_stop)
        self._children = [Child(name, command, self._show) for name, command in commands.items()]

    def run(self, is_ready: Callable[[], bool], say_ready: Callable[[], None]) -> bool:
        """Watch the processes. Return False if one of them ended by itself.

        Output from before the service is ready is shown only for a process that ended.
        """
        while not self._stops and self._fallen() is None:
            if not self._is_ready and is_ready():
                self._is_ready = True
                say_ready()
            time.sleep(_LOOK_SECONDS)
        fallen = self._fallen()
        if fallen is not None and not self._stops:
            self._is_ready = False  # hide the output of the others, which are stopped next
            fallen.drain()
            self._write(f"{fallen.name} ended with exit code {fallen.code}. Its last lines:")
            for line in fallen.last_lines:
                self._write(f"  {line}")
        self._stop_all()
        return fallen is None or self._stops > 0

    def _stop_all(self) -> None:
        """Stop all processes. Kill them after GRACE_SECONDS or on a second Ctrl-C."""
        asked, deadline = self._stops, time.monotonic() + GRACE_SECONDS
        for child in self._children:
            child.send(signal.SIGTERM)
        while any(child.code is None for child in self._children):
            if time.monotonic() > deadline or self._stops > max(asked, 1):
                break
            time.sleep(_LOOK_SECONDS)
        for child in self._children:
            child.send(signal.SIGKILL)
            child.drain()

    def _fallen(self) -> Child | None:
        return next((child for child in self._children if child.code is not None), None)

    def _ask_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stops += 1

    def _show(self, line: str) -> None:
        if self._is_ready:
            self._write(line)
