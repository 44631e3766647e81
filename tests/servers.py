"""Start real servers and programs on free loopback ports, and stop them by process id."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import psycopg
import redis
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

ROOT = Path(__file__).resolve().parent.parent
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 0.25  # between two checks of a condition
LONGEST_PAUSE_AFTER_SLOW_CHECK = 1.0
WITH_PARENT = ("setpriv", "--pdeathsig=KILL", "--")  # of Debian's util-linux; the program keeps its process id
AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL", "--")
_HELD: list[socket.socket] = []


def free_port() -> int:
    """Return a port for a server. No other caller on this machine gets it by chance until this process ends.

    A socket stays bound to the port without listening. Servers set SO_REUSEADDR, so the kernel lets them listen, too.
    A released port could go to the next connection of any process.
    """
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    _HELD.append(held)
    return int(held.getsockname()[1])


def wait_until(answers: Callable[[], object], seconds: float = 90) -> None:
    """Wait until the condition is true. Raises TimeoutError.

    The limit is for a busy machine.
    """
    began, pause = time.monotonic(), SHORTEST_PAUSE
    while True:
        asked = time.monotonic()
        if answers():
            return
        now = time.monotonic()
        if now > began + seconds:
            raise TimeoutError(f"not there after {seconds} s")
        # A condition is often a request or a command. Checks use at most a quarter of the time of a wait.
        time.sleep(min(max(pause, 3 * (now - asked)), LONGEST_PAUSE_AFTER_SLOW_CHECK))
        pause = min(pause * 1.3, LONGEST_PAUSE)


def accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.5):
        return True
    return False


class Program:
    """A running program with its log. The kernel kills it if the thread that started it is killed."""

    _is_asked = False

    def __init__(
        self, *command: str | Path, log: Path, environment: dict[str, str] | None = None, folder: Path = ROOT
    ) -> None:
        self.log = log
        with log.open("ab") as output:
            self._began_at = output.tell()  # after the output of earlier programs with this log
            self.process = subprocess.Popen(
                [*WITH_PARENT, *command],
                cwd=folder,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def is_running(self) -> bool:
        return self.process.poll() is None

    def wait_until(self, answers: Callable[[], object], seconds: float = 90) -> None:
        """Wait like the function of this name, but raise RuntimeError with the log if the program ends."""
        wait_until(lambda: not self.is_running() or answers(), seconds)
        if not self.is_running():
            raise RuntimeError(f"{self.process.args!r} ended with {self.process.returncode}:\n{self.tail()}")

    def tail(self, lines: int = 60) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def has_said(self, words: str) -> bool:
        return words.encode() in self.log.read_bytes()[self._began_at :]

    def ask_to_stop(self) -> None:
        """Send SIGTERM once, because a second one may force an end."""
        if not self._is_asked:
            self._is_asked = True
            self.process.terminate()

    def stop(self, seconds: float = 15) -> None:
        """Stop the program. After `seconds`, kill it and its children."""
        if self.is_running():
            self.ask_to_stop()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        self.kill()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)  # the group of its own session holds no other process
        self.process.wait()


def processes(pid: int) -> list[int]:
    """Return the ids of a program's process and its children.

    Linux may leave children out of /proc's own list while another one ends, so each process is asked for its parent.
    """
    children = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            _, parent = status.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid:
                children.append(int(status.parent.name))
    return [pid, *sorted(children)]


def postgres_programs() -> Path | None:
    """Return the folder of `initdb` and `postgres`: in PATH, or Debian's folder by version."""
    found = shutil.which("postgres")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class PrivatePostgres:
    """A separate PostgreSQL server. `url`: its first database. `settings` override the fast ones here."""

    def __init__(self, **settings: str) -> None:
        programs = postgres_programs()
        if programs is None:
            raise FileNotFoundError("postgres")
        # Not below a test's folder, because the server runs as another user without access to it.
        self.folder = Path(tempfile.mkdtemp(prefix="signalbox-postgres-"))
        self.port = free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        as_user: list[str] = []
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(self.folder, "postgres")
            as_user = [*AS_POSTGRES]
        data = self.folder / "data"
        make = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*as_user, *make], check=True, capture_output=True, cwd="/")
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
            "fsync": "off",  # the data need not survive a crash
            "full_page_writes": "off",
            "max_connections": "600",  # six test processes, each with services and their workers
            **settings,
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [*as_user, programs / "postgres", "-D", data, "-p", str(self.port), *options]
        self.program = Program(*command, log=self.folder / "postgres.log", folder=Path("/"))
        self.program.wait_until(self._answers)

    def stop(self) -> None:
        self.program.process.send_signal(signal.SIGQUIT)  # at once, because the data is not needed
        self.program.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url, connect_timeout=1):
            return True
        return False


@contextlib.contextmanager
def postgres_database(url: str, name: str, *, template: str = "") -> Iterator[str]:
    """Create a database on the server of `url`, as a copy of `template` if given, and drop it at the end."""
    beside = f"{url.rpartition('/')[0]}/{name}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{template}"' if template else ""))
    try:
        yield beside
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


class PrivateRedis:
    """A separate Redis server that writes nothing to disk."""

    def __init__(self) -> None:
        server = shutil.which("redis-server")
        if server is None:
            raise FileNotFoundError("redis-server")
        self.folder = Path(tempfile.mkdtemp(prefix="signalbox-redis-"))
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        options = [
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            str(self.folder),
            "--databases",
            "64",
        ]
        self.program = Program(server, *options, log=self.folder / "redis.log")
        self.program.wait_until(lambda: accepts(self.port))

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url)

    def stop(self) -> None:
        self.program.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


_TAKEN = "taken-by-a-test-run"


def claim_redis_database(url: str) -> str:
    """Claim an empty numbered database on the server of `url`. Raises LookupError."""
    address, _, own = url.rpartition("/") if url.count("/") > 2 else (url, "", "0")
    with redis.Redis.from_url(url) as connection:
        count = int(connection.config_get("databases")["databases"])
    for number in range(count - 1, -1, -1):
        beside = f"{address}/{number}"
        with redis.Redis.from_url(beside) as connection:
            if str(number) != own and connection.set(_TAKEN, os.getpid(), nx=True):
                if connection.dbsize() == 1:
                    return beside
                connection.delete(_TAKEN)
    raise LookupError("no empty Redis database")


def empty_redis_database(url: str) -> None:
    """Release a claimed database."""
    with redis.Redis.from_url(url) as connection:
        connection.flushdb()


class SmtpSink:
    """A mail server that keeps its messages. After `refuse("550 no such user")` every recipient gets that answer."""

    def __init__(self) -> None:
        self.port = free_port()
        self.messages: list[EmailMessage] = []
        self.envelopes: list[Envelope] = []
        self._refusal: str | None = None
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def refuse(self, answer: str | None) -> None:
        self._refusal = answer

    def wait_for_message(self, seconds: float = 20) -> EmailMessage:
        """Return the newest message as soon as one has arrived."""
        wait_until(lambda: self.messages, seconds)
        return self.messages[-1]

    def stop(self) -> None:
        self._controller.stop()

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, to: str, options: list[Any]) -> str:
        if self._refusal:
            return self._refusal
        envelope.rcpt_tos.append(to)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.envelopes.append(envelope)
        self.messages.append(message_from_bytes(envelope.content or b"", policy=policy.default))  # type: ignore[arg-type]
        return "250 OK"
