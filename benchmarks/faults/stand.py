"""Run a whole Signalbox with its own PostgreSQL, Redis and mail server, and callers that record every answer."""

import http.client
import json
import os
import platform
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from aiosmtpd.smtp import SMTP, Envelope, Session

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("ENVIRONMENT", "test")
os.environ.setdefault("SECRET_KEY", "a-key-for-faults-alone-a-key-for-faults-alone-a-key-for-faults")
os.environ.setdefault("FIELD_KEYS", "ZmllbGQta2V5LWZvci10aGUtc3VpdGUtYWxvbmUtMzI=")

from tests.notifications.provisioned import Provisioned
from tests.notifications.tokens import make_token
from tests.servers import ROOT, PrivatePostgres, PrivateRedis, Program, SmtpSink, accepts
from tests.service import Service

TOKEN_SECONDS = 2  # a token is valid for 30 s, most of which a request may spend waiting
IDLE_SECONDS = 3  # the server closes a connection that has been idle for 5
FINAL_ENOUGH = {"sending", "sent", "delivered"}


class Mailbox(SmtpSink):
    """Records the Message-IDs that arrive and when. `seconds`: the time that it takes for each message."""

    def __init__(self) -> None:
        self.arrived: list[tuple[float, str]] = []
        super().__init__()

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = bytes(envelope.content or b"")
        head = next(line for line in content.splitlines() if line.lower().startswith(b"message-id:"))
        self.arrived.append((time.monotonic(), head.partition(b"<")[2].partition(b"@")[0].decode()))
        return "250 OK"

    def counts(self) -> Counter[str]:
        return Counter(identifier for _, identifier in list(self.arrived))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer. status: 0 if the connection broke; id: the message's id in a 201."""

    at: float
    seconds: float
    status: int
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return str(self.body.get("id", ""))


class Caller:
    """One caller with its own persistent connection."""

    def __init__(self, service: Provisioned) -> None:
        self._service = service
        self._made_at, self._token = float("-inf"), ""
        self._used_at = float("-inf")
        self._connect()

    def send(self, number: int, **fields: Any) -> Answer:
        address = f"p{number}@example.org"
        body = {"email_address": address, "template_id": self._service.templates["email"], **fields}
        started = time.monotonic()
        if started - self._used_at > IDLE_SECONDS:
            self._connect()
        self._used_at = started
        try:
            self._connection.request("POST", "/v2/notifications/email", json.dumps(body), self._headers())
            response = self._connection.getresponse()
            status, text = response.status, response.read()
        except (OSError, http.client.HTTPException):
            self._connect()
            return Answer(at=started, seconds=time.monotonic() - started, status=0)
        return Answer(at=started, seconds=time.monotonic() - started, status=status, body=_parsed(text))

    def _headers(self) -> dict[str, str]:
        if time.monotonic() - self._made_at > TOKEN_SECONDS:
            self._made_at = time.monotonic()
            self._token = make_token(self._service.id, self._service.keys["live"][-36:])
        return {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}

    def _connect(self) -> None:
        host, _, port = self._service.url.removeprefix("http://").partition(":")
        self._connection = http.client.HTTPConnection(host, int(port), timeout=60)


def _parsed(text: bytes) -> dict[str, Any]:
    """Return the body of an answer, empty if it is no JSON object."""
    with suppress(ValueError):
        body = json.loads(text)
        return body if isinstance(body, dict) else {}
    return {}


class Stand:
    """The running service and its dependencies, which a script breaks."""

    def __init__(self, stack: ExitStack, *, web: int, embedded: bool, mailbox: Mailbox | None, **settings: str) -> None:
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="signalbox-faults-")))
        self.mailbox = mailbox or Mailbox()
        stack.callback(self.mailbox.stop)
        given = {
            "PROVIDERS": f"mail={self.mailbox.url}",
            "WEB_CONCURRENCY": str(web),
            "LOG_LEVEL": "info",
            "RATE_LIMIT_PER_MINUTE": "1000000",
        }
        self._embedded = embedded
        if not embedded:
            self.postgres, self.redis = PrivatePostgres(), PrivateRedis()
            stack.callback(self.postgres.stop)
            stack.callback(self.redis.stop)
            given |= {"DATABASE_URL": self.postgres.url, "REDIS_URL": self.redis.url}
        self.service = Service(self.folder, **given | settings)
        stack.callback(self.service.stop)
        self.clock = self.start_clock()

    def start_clock(self) -> Program:
        return self.service.start("clock", sys.executable, "manage.py", "clock")

    def provision(self, name: str = "Faults", **fields: Any) -> Provisioned:
        document = {
            "name": name,
            "live": True,
            "reply_to_addresses": [{"email_address": "reply@example.com"}],
            "rate_limit_per_minute": 1_000_000,
            "daily_limits": {"email": 1_000_000},
            "templates": [{"type": "email", "name": "email", "subject": "Hello", "content": "Dear all"}],
            "api_keys": [{"name": "k", "type": "live"}],
        }
        return Provisioned(self.service, document | fields)

    def statuses(self) -> dict[str, str]:
        rows = self._rows("SELECT id, status FROM notifications_notification")
        return {str(UUID(str(identifier))): status for identifier, status in rows}

    def doubts(self, ids: Container[str] | None = None) -> int:
        """Return how many messages, or of these ids, have an attempt with an unknown outcome."""
        rows = self._rows("SELECT id FROM notifications_notification WHERE CAST(attempts AS text) LIKE '%uncertain%'")
        return sum(ids is None or str(UUID(str(identifier))) in ids for (identifier,) in rows)

    def lost(self, accepted: list[str]) -> list[str]:
        """Return the accepted messages that have neither been delivered nor failed."""
        now = self.statuses()
        return [identifier for identifier in accepted if now.get(identifier, "created") == "created"]

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        if self._embedded:
            file = self.service.environment["DATABASE_URL"].removeprefix("sqlite:///")
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
                return connection.execute(query).fetchall()
        with psycopg.connect(self.postgres.url, connect_timeout=3) as connection:
            return connection.execute(query).fetchall()  # type: ignore[arg-type]  # a constant query


@contextmanager
def stand(*, web: int = 2, embedded: bool = False, mailbox: Mailbox | None = None, **settings: str) -> Iterator[Stand]:
    """Start a service. embedded: use SQLite and the file queue, without servers; mailbox: the script's mail server."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))  # otherwise the servers would keep running
    with ExitStack() as stack:
        yield Stand(stack, web=web, embedded=embedded, mailbox=mailbox, **settings)


def send_all(service: Provisioned, count: int, callers: int) -> list[Answer]:
    """Send `count` messages with this number of concurrent callers."""
    numbers = iter(range(count))
    lock = threading.Lock()

    def work(_: int) -> list[Answer]:
        caller, answers = Caller(service), []
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return answers
            answers.append(caller.send(number))

    with ThreadPoolExecutor(callers) as pool:
        return [answer for answers in pool.map(work, range(callers)) for answer in answers]


class Load:
    """Send `per_second` messages a second in the background, each by a free caller, until `stop`."""

    def __init__(
        self, service: Provisioned, per_second: float, callers: int = 30, caller: type[Caller] = Caller
    ) -> None:
        self.answers: list[Answer] = []
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(callers)
        self._own = threading.local()
        self._service, self._pause, self._new_caller = service, 1 / per_second, caller
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> list[Answer]:
        self._stop.set()
        self._thread.join()
        self._pool.shutdown(wait=True)
        return self.answers

    def _run(self) -> None:
        number, due = 0, time.monotonic()
        while not self._stop.is_set():
            self._pool.submit(self._send, number)
            number, due = number + 1, due + self._pause
            time.sleep(max(0.0, due - time.monotonic()))

    def _send(self, number: int) -> None:
        if not hasattr(self._own, "caller"):
            self._own.caller = self._new_caller(self._service)
        self.answers.append(self._own.caller.send(number))


def restarted(program: Program, port: int) -> Program:
    """Start a program again that has ended, with the same arguments and port."""
    again = Program(*program.process.args, log=program.log, folder=Path("/"))  # type: ignore[misc]  # a tuple
    again.wait_until(lambda: accepts(port))
    return again


def wait_for(done: Callable[[], bool], seconds: float, every: float = 0.25) -> float | None:
    """Return the seconds until `done` was true, or None if it was not in time."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if done():
            return round(time.monotonic() - started, 1)
        time.sleep(every)
    return None


def show(figure: str, value: object, **more: object) -> None:
    print(json.dumps({"figure": figure, "value": value, **more}), flush=True)


def show_machine() -> None:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    about = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "python": platform.python_version()}
    show("machine", platform.platform(), **about, commit=commit.stdout.strip())


def show_answers(answers: list[Answer]) -> None:
    seconds = sorted(answer.seconds for answer in answers)
    show("answers by status", {str(k): v for k, v in sorted(Counter(answer.status for answer in answers).items())})
    p99 = seconds[int(len(seconds) * 0.99)]
    show("seconds to answer", round(statistics.median(seconds), 3), p99=round(p99, 3), most=round(seconds[-1], 3))
