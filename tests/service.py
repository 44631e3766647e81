"""Run a whole Signalbox under test: its own database, gunicorn, and a worker if needed."""

import contextlib
import os
import re
import shutil
import ssl
import subprocess
import sys
import urllib.request
import uuid
from collections.abc import Mapping
from pathlib import Path

from tests.forks import Forks
from tests.servers import Program, claim_redis_database, empty_redis_database, free_port, postgres_database

# Recipients in tests, tokens of both areas, and keys: 36 characters of service and 36 of secret.
LEAK = re.compile(
    r"[\w.+-]+@example\.\w+|0?7700 ?9\d{5}|ds_[\w-]{43}|eyJ[\w-]{10,}\.[\w-]+|[0-9a-f-]{36}-[0-9a-f-]{36}"
)
MIGRATED = os.environ.get(
    "MIGRATED_DATABASE", ""
)  # a file, or a database on the run's server; `tests.__main__` creates it


class Service:
    """A running Signalbox. `environment`: the environment variables of its processes."""

    scheme = "http"
    web_options: tuple[str, ...] = ()

    def __init__(self, folder: Path, **extra: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"
        self._closing = contextlib.ExitStack()
        self._programs: list[Program] = []
        self._worker: Program | None = None
        self._forks: list[Forks] = []  # the newest last; each has one environment
        self.environment = {
            **os.environ,
            "VAR_DIR": str(folder / "var"),
            "BASE_URL": self.url,
            "LOG_FORMAT": "json",
            "LOG_LEVEL": "debug",
            "WEB_CONCURRENCY": "1",
            "DRAIN_SECONDS": "0",  # in production it is 5, at the end of each service
            **self._stores(extra),
            **extra,
        }
        (folder / "var").mkdir(parents=True, exist_ok=True)
        if not self._copy_migrated(extra):
            migrated = self.manage("migrate", "--verbosity", "0")
            if migrated.returncode:
                raise RuntimeError(migrated.stderr)
        try:
            self.web = self.start_web()
        except BaseException:
            self.stop()
            raise

    def _copy_migrated(self, extra: Mapping[str, str]) -> bool:
        """Copy the run's migrated database, unless this one is on another server or has other tables.

        A database on the run's server was created as a copy.
        """
        if not MIGRATED or "AREAS" in extra:
            return False
        if MIGRATED.startswith("signalbox_"):
            return "DATABASE_URL" not in extra
        scheme, _, file = self.environment["DATABASE_URL"].partition(":///")
        if scheme == "sqlite":
            shutil.copy(MIGRATED, file)
        return scheme == "sqlite"

    def _stores(self, extra: Mapping[str, str]) -> dict[str, str]:
        """Create a separate database: a new file, or a new one on the server of this run."""
        if os.environ.get("DATABASE_URL", "").startswith("postgres"):
            template = MIGRATED if "AREAS" not in extra else ""
            database = postgres_database(
                os.environ["DATABASE_URL"], f"signalbox_{uuid.uuid4().hex[:12]}", template=template
            )
            stores = {"DATABASE_URL": self._closing.enter_context(database)}
            if os.environ.get("REDIS_URL"):
                stores["REDIS_URL"] = claim_redis_database(os.environ["REDIS_URL"])
                self._closing.callback(empty_redis_database, stores["REDIS_URL"])
            return stores
        return {"DATABASE_URL": f"sqlite:///{self.folder / 'var' / 'signalbox.sqlite3'}", "REDIS_URL": ""}

    def manage(self, *arguments: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run one `manage.py` command with the service's environment."""
        return self._ready().run(*arguments, input=input)

    def start(self, name: str, *command: str) -> Program:
        """Start one more program of this service, which ends with the service. Each start has its own log.

        The command starts in a fork as with `python …`, or with an interpreter if it names one.
        """
        starts = sum(program.log.stem.partition(".")[0] == name for program in self._programs)
        log = self.folder / (f"{name}.{starts + 1}.log" if starts else f"{name}.log")
        if command[0] == sys.executable:
            program = Program(*command, log=log, environment=self.environment)
        else:
            program = self._ready().start(*command, log=log)
        self._programs.append(program)
        return program

    def _ready(self) -> Forks:
        if not self._forks or self._forks[-1].environment != self.environment:
            self._forks.append(Forks(self.folder / "forks.log", self.environment))
        return self._forks[-1]

    def start_web(self) -> Program:
        bind = f"127.0.0.1:{self.port}"
        command = ["-m", "gunicorn", "-c", "config/web/gunicorn.py", "--bind", bind, *self.web_options, "config.wsgi"]
        web = self.start("web", *command)
        web.wait_until(self._is_up)
        return web

    def start_worker(self) -> Program:
        """Return the running worker, or start it."""
        if self._worker is None or not self._worker.is_running():
            worker = self._worker = self.start("worker", "manage.py", "worker")
            worker.wait_until(lambda: worker.has_said("worker.ready"))
        return self._worker

    def ask_to_stop(self) -> None:
        for program in reversed(self._programs):
            program.ask_to_stop()

    def stop(self) -> None:
        self.ask_to_stop()  # signal all first, because each takes a second
        for program in reversed(self._programs):
            program.stop()
        for forks in self._forks:
            forks.stop()
        self._closing.close()

    def leaks(self) -> list[str]:
        """Return texts of callers or secrets that are in a log."""
        return [
            f"{program.log.stem}: {found}"
            for program in self._programs
            for found in LEAK.findall(program.log.read_text())
        ]

    def logs(self) -> dict[str, str]:
        """Return the last lines of every program by name."""
        return {program.log.stem: program.tail() for program in self._programs}

    def _is_up(self) -> bool:
        anyone = ssl._create_unverified_context()  # noqa: S323  a temporary certificate
        address = f"{self.url}/_status"
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2, context=anyone) as answer:  # noqa: S310  our own
            return bool(answer.status == 200)
        return False
