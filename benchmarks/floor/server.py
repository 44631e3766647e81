"""Start the floor: gunicorn with the product's settings and number of processes, on its own table."""

import contextlib
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import psycopg

from benchmarks.floor import replay
from tests.servers import Program, free_port

TABLE = """CREATE TABLE IF NOT EXISTS floor (
    id uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), template text NOT NULL, body text NOT NULL)"""
INSERT = "INSERT INTO floor (id, template, body) VALUES (%s, %s, %s)"
SELECT = "SELECT id, created_at, template, body FROM floor WHERE id = %s"


class Floor:
    """The running floor. POST `/floor` needs `template_id` and `personalisation`. GET `/floor/<id>` reads one row.

    queries: the output of `record`, which `/floor/queries` repeats
    secret: the secret of the key that signs requests to `/floor/viewset`
    calls: the statements and commands of `queries`
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], *, queries: str = "", secret: str = "") -> None:
        with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(TABLE)
        self.calls = replay.read(queries)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/floor"
        options = ["-c", "benchmarks/floor/gunicorn.py", "--bind", f"127.0.0.1:{port}"]
        settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.floor.settings"}
        self.program = Program(
            *(sys.executable, "-m", "gunicorn", *options, "benchmarks.floor.wsgi"),
            log=folder / "floor.log",
            environment={**environment, **settings, "STORE_CALLS": queries, "KEY_SECRET": secret},
        )
        self.program.wait_until(self._answers)

    @property
    def pid(self) -> int:
        return self.program.pid

    def stop(self) -> None:
        self.program.stop()

    def _answers(self) -> bool:
        """Return whether a process answers. The port opens earlier."""
        with contextlib.suppress(urllib.error.URLError, TimeoutError):
            urllib.request.urlopen(f"{self.url}/up", timeout=2).close()  # noqa: S310  a local URL
            return True
        return False
