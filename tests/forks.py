"""Fork all programs of a service under test from a process with Django loaded: commands, web server, worker, clock.

Each starts as if from a shell, with the environment of its service, but without two seconds of imports. The suite runs
some hundred commands and starts some hundred programs. That process is itself a fork, of one that has imported
everything that needs no settings. All end with the test process, even if that is killed: each has a connection to it,
which the kernel closes then.
"""

import contextlib
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path

import django
from django.core.management import execute_from_command_line

from tests.servers import Program, accepts, free_port, wait_until

TIMEOUT_SECONDS = 300
AHEAD = (  # two thirds of a service's imports: the slow ones that need no settings
    "celery.bin.celery",
    "celery.concurrency.thread",
    "celery.worker.consumer",
    "cffi.cparser",
    "cryptography.fernet",
    "dj_database_url",
    "django.contrib.admin.views.main",
    "django.contrib.admindocs.views",
    "django.contrib.auth.hashers",
    "django.contrib.postgres.fields",
    "django.contrib.staticfiles.storage",
    "django.core.handlers.wsgi",
    "django.db.backends.sqlite3.base",
    "django.forms",
    "django.template.loader",
    "django.test.signals",
    "django.views.generic.base",
    "environs",
    "gunicorn.app.wsgiapp",
    "gunicorn.workers.gthread",
    "http.server",
    "jwt",
    "kombu.transport.filesystem",
    "kombu.transport.redis",
    "markdown_it",
    "phonenumbers",
    "prometheus_client.openmetrics.exposition",
    "psycopg_pool",
    "pygments.formatters.html",
    "regex",
    "requests",
    "rest_framework.serializers",
    "segno",
    "structlog",
    "uritemplate",
    "whitenoise.base",
)
_NUMBER = 16  # bytes for a process id and an exit code


@cache
def _root() -> int:
    """Start the process that all others are forks of, and return its port. It ends when its input closes."""
    port = free_port()
    command = [sys.executable, "-m", "tests.forks", str(port), "root"]
    _roots.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))
    wait_until(lambda: accepts(port))
    return port


_roots: list[subprocess.Popen[bytes]] = []


class Forks:
    """The process that has imported everything, and its commands."""

    def __init__(self, log: Path, environment: dict[str, str]) -> None:
        self.environment = dict(environment)
        self._port = free_port()
        command = ("-m", "tests.forks", str(self._port))
        question = {"command": command, "log": str(log), "environment": self.environment}
        self._program = _Forked(command, _root(), question, log)
        self._program.wait_until(lambda: accepts(self._port))

    def run(self, *arguments: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run one `manage.py` command to its end."""
        question = {"arguments": arguments, "input": input or ""}
        with _ask(self._port, question) as connection, connection.makefile("rb") as answer:
            code, output, errors = json.loads(answer.read())
        return subprocess.CompletedProcess(["manage.py", *arguments], code, output, errors)

    def start(self, *command: str, log: Path) -> Program:
        """Start a program like `python …`: a file, or `-m` and a module. It outlives the process it is forked from."""
        return _Forked(command, self._port, {"command": command, "log": str(log)}, log)

    def stop(self) -> None:
        self._program.stop()


def start(*command: str, log: Path, environment: dict[str, str]) -> Program:
    """Start a program like `python …`, with new settings."""
    return _Forked(command, _root(), {"command": command, "log": str(log), "environment": environment}, log)


def output_of(code: str, folder: Path, **environment: str) -> str:
    """Run Python code like `python -c`, with new settings, and return its output. Raises AssertionError if it fails."""
    log = folder / "output.log"
    log.unlink(missing_ok=True)
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **environment}
    program = start("-c", code, log=log, environment=variables)
    assert program.process.wait(TIMEOUT_SECONDS) == 0, program.tail()
    return log.read_text()


def _ask(port: int, question: dict[str, object]) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS)
    connection.sendall(json.dumps(question).encode() + b"\n")
    return connection


class _Forked(Program):
    def __init__(self, command: tuple[str, ...], port: int, question: dict[str, object], log: Path) -> None:
        self.log = log
        self.log.touch()  # it may be read before the fork has opened it
        self._began_at = log.stat().st_size  # before the program can write
        self.process = _Process(command, _ask(port, question))  # type: ignore[assignment]  # has the used part of Popen


class _Process:
    """A program that is not a child of this process, with the used methods of `subprocess.Popen`."""

    def __init__(self, command: tuple[str, ...], connection: socket.socket) -> None:
        self.args = command
        self.pid = int(connection.recv(_NUMBER, socket.MSG_WAITALL))
        self._connection = connection

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        if not select.select([self._connection], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        # Peek without reading, because another thread may also wait.
        told = self._connection.recv(_NUMBER, socket.MSG_PEEK | socket.MSG_WAITALL)
        return int(told or -signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def _next_question(listener: socket.socket, *, until: int | None = None) -> socket.socket:
    """Return in a fork for each caller. The process itself stays here until the input `until` closes."""
    watched = [listener] if until is None else [listener, until]
    while True:
        if listener not in select.select(watched, [], [])[0]:
            os._exit(0)
        connection, _ = listener.accept()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        if os.fork() == 0:
            return connection
        connection.close()


def _answer(connection: socket.socket) -> None:
    with connection.makefile("rb") as questions:
        line = questions.readline()
    if not line:  # a check whether the process runs
        return
    asked = json.loads(line)
    if "command" in asked:
        if "environment" in asked:
            os.environ.clear()
            os.environ.update(asked["environment"])
        _start(connection, asked["command"], asked["log"])
    else:
        _tell_of_command(connection, asked["arguments"], asked["input"])


def _start(connection: socket.socket, command: list[str], log: str) -> None:
    os.setsid()  # programs continue if the process with the imports is stopped
    pid = os.fork()
    if pid:
        _end_with_test_process(pid, connection)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(b"%*d" % (_NUMBER, code))
        return
    os.setsid()
    connection.sendall(b"%*d" % (_NUMBER, os.getpid()))
    connection.close()
    with open(os.devnull, "rb") as nothing, open(log, "ab") as output:
        for number, file in enumerate((nothing, output, output)):
            os.dup2(file.fileno(), number)
    if command[0] == "-c":
        sys.argv = ["-c"]
        exec(compile(command[1], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102  code of the tests
    elif command[0] == "-m":
        sys.argv = command[1:]
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        runpy.run_path(command[0], run_name="__main__")
    sys.exit()


def _end_with_test_process(pid: int, connection: socket.socket) -> None:
    """Wait until the program has ended. If the test process ends before, kill the program and its children."""
    ended = os.pidfd_open(pid)
    if ended not in select.select([ended, connection], [], [])[0]:  # the test process sends nothing more
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _tell_of_command(connection: socket.socket, arguments: list[str], given_text: str) -> None:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        given.write(given_text.encode())
        given.seek(0)
        for number, file in enumerate((given, output, errors)):
            os.dup2(file.fileno(), number)
        code = _run(arguments)
        told = []
        for file in (output, errors):
            file.seek(0)
            told.append(file.read().decode())
    connection.sendall(json.dumps([code, *told]).encode())


def _run(arguments: list[str]) -> int:
    sys.argv = ["manage.py", *arguments]
    code: object = 0
    try:
        execute_from_command_line(sys.argv)
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001  like the interpreter
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(ValueError):
            stream.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    is_root = sys.argv[2:] == ["root"]
    gc.disable()  # imported objects do not become garbage, and collection takes a tenth of the time
    if not is_root:
        django.setup()
    for name in AHEAD if is_root else ("config.urls",):  # most programs need these
        import_module(name)
    gc.freeze()
    gc.enable()
    with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as one_listener:
        asked_for = _next_question(one_listener, until=sys.stdin.fileno() if is_root else None)
    _answer(asked_for)
    os._exit(0)  # without freeing the imports; the program itself ended normally
