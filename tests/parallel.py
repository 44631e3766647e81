"""Run test files in several processes: `pytest --processes 6`.

The processes are forks of the one that has collected the tests, because collecting takes 10 s of CPU time and a process
with its own imports would do it again. Files marked `alone` follow when all others have ended.
"""

import contextlib
import multiprocessing
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import groupby
from multiprocessing.connection import Connection, wait
from typing import Any

import pytest

from tests import environment

FORK = multiprocessing.get_context("fork")
File = list[pytest.Item]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=0, help="run this number of test files at a time")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the collected tests, unless pytest itself should: without the option, or to report a failed collection."""
    count = session.config.getoption("processes")
    if not count or session.testsfailed or session.config.option.collectonly:
        return None
    together: list[File] = []
    alone: list[File] = []
    for _, items in groupby(session.items, key=lambda item: item.path):
        tests = list(items)
        (alone if tests[0].get_closest_marker("alone") else together).append(tests)
    for files, processes in ((together, count), (alone, 1)):
        _run(session, files, processes)
    return True


class _Process:
    """A fork that runs files until none is left."""

    def __init__(self, session: pytest.Session, name: str, next_file: Callable[[], File | None], stop: Any) -> None:
        self.name = name
        self.is_done = False
        self.begun = ""  # the test that runs
        self.messages, sender = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=_work, args=(session, name, next_file, stop, sender))
        self.process.start()
        sender.close()

    def receive(self, session: pytest.Session) -> None:
        """Pass one message on to pytest. Raises EOFError if the process has ended."""
        hook = session.config.hook
        name, values = self.messages.recv()
        if name == "begun":
            self.begun = values
        elif name == "report":
            report = hook.pytest_report_from_serializable(config=session.config, data=values)
            hook.pytest_runtest_logreport(report=report)
        elif name == "warning":
            hook.pytest_warning_recorded.call_historic(kwargs=values)
        else:
            self.is_done = True


def _run(session: pytest.Session, files: list[File], count: int) -> None:
    numbers, stop = FORK.SimpleQueue(), FORK.Event()
    for number in [*range(len(files)), *[None] * count]:
        numbers.put(number)

    def next_file() -> File | None:
        number = numbers.get()
        return None if number is None else files[number]

    running = [_Process(session, f"gw{number}", next_file, stop) for number in range(min(count, len(files)))]
    while running:
        for ready in wait([one.messages for one in running]):
            one = next(each for each in running if each.messages is ready)
            try:
                one.receive(session)
            except EOFError:
                running.remove(one)
                one.process.join()
                _check_end(session, one)
        if session.shouldfail or session.shouldstop:
            stop.set()
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


def _check_end(session: pytest.Session, ended: _Process) -> None:
    """Report a failure of the current test if a process has died, for example of a signal. Its other tests are lost."""
    if not ended.is_done:
        text = f"process {ended.name} ended with exit code {ended.process.exitcode}"
        lost = pytest.TestReport(ended.begun, (ended.begun, None, ended.begun), {}, "failed", text, "call")
        session.config.hook.pytest_runtest_logreport(report=lost)


class _Sender:
    """Send the reports of a fork to the process that has collected the tests."""

    def __init__(self, config: pytest.Config, messages: Connection) -> None:
        self._config = config
        self._messages = messages
        self._has_begun = False

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._has_begun = True
        self._messages.send(("begun", nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        self._messages.send(("report", hook.pytest_report_to_serializable(config=self._config, report=report)))

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        if not self._has_begun:  # pytest repeats earlier warnings for a new plugin
            return
        text = Warning(f"{warning_message.category.__name__}: {warning_message.message}")  # may be pickled
        plain = warnings.WarningMessage(text, Warning, warning_message.filename, warning_message.lineno)
        about = {"when": when, "nodeid": nodeid, "location": location}
        self._messages.send(("warning", {"warning_message": plain, **about}))


def _work(
    session: pytest.Session, name: str, next_file: Callable[[], File | None], stop: Any, messages: Connection
) -> None:
    config = session.config
    plugins = config.pluginmanager
    config.workerinput = {"workerid": name}  # type: ignore[attr-defined]  # pytest-django's suffix of the database
    plugins.getplugin("junitxml").pytest_unconfigure(config)  # only the first process writes a report
    plugins.unregister(name="terminalreporter")
    plugins.register(_Sender(config, messages))
    if config.getoption("capture") == "fd":
        _capture_apart(plugins.getplugin("capturemanager"))
    with environment.separated(name):
        try:
            for test, following in _pairs(_tests(next_file)):
                config.hook.pytest_runtest_protocol(item=test, nextitem=following)
                if stop.is_set() or session.shouldfail or session.shouldstop:
                    break
        finally:
            config.hook.pytest_sessionfinish(session=session, exitstatus=pytest.ExitCode.OK)  # ends all fixtures
    messages.send(("done", None))


def _capture_apart(capture: Any) -> None:
    """Capture output in new files, because forks share the position in a file. Loggers keep their open streams."""
    capture.resume_global_capture()
    for stream in (sys.stdout, sys.stderr):
        with tempfile.TemporaryFile() as own:
            os.dup2(own.fileno(), stream.fileno(), inheritable=False)
    capture.suspend_global_capture()


def _tests(next_file: Callable[[], File | None]) -> Iterator[pytest.Item]:
    while (tests := next_file()) is not None:
        yield from tests


def _pairs(tests: Iterator[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Yield each test with the next one, whose fixtures remain."""
    with contextlib.suppress(StopIteration):
        test = next(tests)
        for following in tests:
            yield test, following
            test = following
        yield test, None
