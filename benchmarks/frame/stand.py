"""Start the product, its own PostgreSQL and Redis, and the floor for a figure.

    with stand(web=2) as it:
        service = it.provision()
        floor = it.start_floor()

`it.service` is the running product (`tests.service.Service`: url, manage(), start(), start_worker(), environment).
`it.postgres` and `it.redis` are the stores. Everything stops at the end of the block.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("ENVIRONMENT", "test")
os.environ.setdefault("SECRET_KEY", "a-key-for-benchmarks-alone-a-key-for-benchmarks-alone")
os.environ.setdefault("FIELD_KEYS", "ZmllbGQta2V5LWZvci10aGUtc3VpdGUtYWxvbmUtMzI=")

from benchmarks.floor.replay import MARK
from benchmarks.floor.server import Floor
from benchmarks.frame.load import Call
from tests import interpreters
from tests.notifications.provisioned import Provisioned
from tests.notifications.tokens import make_token
from tests.servers import PrivatePostgres, PrivateRedis, Program
from tests.service import Service

# PostgreSQL's defaults with safe writes, except memory for a machine of 4 GB, and rare checkpoints, which would distort
# short measurements.
POSTGRES = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "max_connections": "100",
}
MOST_REFUSALS = 20  # log lines that a failed measurement shows
_REFUSAL = re.compile(r'"status": [45]|"level": "(?:warning|error|critical)"')
NO_LIMIT = 100_000_000
RATE_LIMIT = 1_000_000  # a minute: more than any figure sends


class _Product(Service):
    """Start each program with its own interpreter, as in production, because forks of one process share memory."""

    def __init__(self, folder: Path, python: Path, **environment: str) -> None:
        self._python = python
        super().__init__(folder, **environment)

    def start(self, name: str, *command: str) -> Program:
        arguments = command[1:] if command[0] == sys.executable else command
        program = Program(self._python, *arguments, log=self.folder / f"{name}.log", environment=self.environment)
        self._programs.append(program)
        return program


class Stand:
    """The stores and the product with `web` processes; `settings` are environment variables of the product.

    embedded: SQLite and the file queue instead of the stores
    without_tools: run it with an interpreter that has only the packages of requirements.txt
    """

    def __init__(
        self, closing: ExitStack, *, web: int, embedded: bool = False, without_tools: bool = False, **settings: str
    ) -> None:
        self.folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="signalbox-bench-")))
        self._closing = closing
        given = {"WEB_CONCURRENCY": str(web), "LOG_LEVEL": "info", "RATE_LIMIT_PER_MINUTE": str(RATE_LIMIT)}
        if not embedded:
            self.postgres, self.redis = PrivatePostgres(**POSTGRES), PrivateRedis()
            closing.callback(self.postgres.stop)
            closing.callback(self.redis.stop)
            given |= {"DATABASE_URL": self.postgres.url, "REDIS_URL": self.redis.url}
        python = interpreters.production(self.folder / "venv") if without_tools else Path(sys.executable)
        self.service = _Product(self.folder, python, **given | settings)
        closing.callback(self.service.stop)

    def start_floor(self, same_queries_as: Call | None = None, secret: str = "") -> Floor:
        """Start the bare Django view with the product's number of processes and its database.

        same_queries_as: the call of the product whose queries `/floor/queries` repeats
        secret: the secret of the key that signs requests to `/floor/viewset`
        """
        queries = self._queries_of(same_queries_as) if same_queries_as else ""
        floor = Floor(self.folder, self.service.environment, queries=queries, secret=secret)
        self._closing.callback(floor.stop)
        return floor

    def _queries_of(self, call: Call) -> str:
        given = (call.method, urlsplit(call.url).path, call.body, {**call.headers, **call.sign()})
        done = self.service.manage("shell", "-c", f"from benchmarks.floor import record; record.main(*{given!r})")
        found = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
        assert found, done.stderr
        return found[0].removeprefix(MARK)

    def provision(self, name: str = "Bench", **fields: Any) -> Provisioned:
        """Create a live service without limits, with a key and the templates `text` and `email`."""
        document = {
            "name": name,
            "live": True,
            "reply_to_addresses": [{"email_address": "reply@example.com"}],
            "rate_limit_per_minute": RATE_LIMIT,
            "daily_limits": {"sms": NO_LIMIT, "email": NO_LIMIT},
            "templates": [
                {"type": "sms", "name": "text", "content": "Hi ((name)), your table is ready."},
                {
                    "type": "email",
                    "name": "email",
                    "subject": "Hello",
                    "content": "Dear ((name)), your table is ready.",
                },
            ],
            "api_keys": [{"name": "k", "type": "live"}],
        }
        return Provisioned(self.service, document | fields)


@contextmanager
def stand(*, web: int = 2, embedded: bool = False, without_tools: bool = False, **settings: str) -> Iterator[Stand]:
    with ExitStack() as closing:
        it = Stand(closing, web=web, embedded=embedded, without_tools=without_tools, **settings)
        try:
            yield it
        except Exception as error:
            error.add_note("\n".join(_refusals(it.folder)) or "The product's log has no errors or refused calls.")
            raise


def _refusals(folder: Path) -> list[str]:
    """Return the last lines of the web server's log with a refused call, a warning or an error."""
    lines = (folder / "web.log").read_text(errors="replace").splitlines()
    return [line for line in lines if _REFUSAL.search(line)][-MOST_REFUSALS:]


def signed(service: Provisioned, path: str, *, method: str = "GET", body: str = "") -> Call:
    """Return a call of the sending API with the service's live key."""

    def sign() -> Mapping[str, str]:
        return {"Authorization": f"Bearer {make_token(service.id, service.keys['live'][-36:])}"}

    headers = {"Content-Type": "application/json"} if body else {}
    return Call(url=service.url + path, method=method, body=body, headers=headers, sign=sign)
