"""Starts the floor: gunicorn with the product's settings and as many processes, on a table of its own."""

import contextlib
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import psycopg

from tests.servers import Program, free_port

TABLE = """CREATE TABLE IF NOT EXISTS floor (
    id uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), template text NOT NULL, body text NOT NULL)"""
INSERT = "INSERT INTO floor (id, template, body) VALUES (%s, %s, %s)"
SELECT = "SELECT id, created_at, template, body FROM floor WHERE id = %s"


class Floor:
    """The running floor. POST `/floor` wants `template_id` and `personalisation`; GET `/floor/<id>` reads one row.

    asked: what `/floor/asked` asks of the stores, as `record` has written it
    secret: of the key that signs for `/floor/owed`
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], *, asked: str = "", secret: str = "") -> None:
        with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(TABLE)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/floor"
        options = ["-c", "benchmarks/floor/gunicorn.py", "--bind", f"127.0.0.1:{port}"]
        settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.floor.settings"}
        self.program = Program(
            *(sys.executable, "-m", "gunicorn", *options, "benchmarks.floor.wsgi"),
            log=folder / "floor.log",
            environment={**environment, **settings, "ASKED": asked, "KEY_SECRET": secret},
        )
        self.program.wait_until(self._answers)

    @property
    def pid(self) -> int:
        return self.program.pid

    def stop(self) -> None:
        self.program.stop()

    def _answers(self) -> bool:
        """The port is open before a process is there to answer."""
        with contextlib.suppress(urllib.error.URLError, TimeoutError):
            urllib.request.urlopen(f"{self.url}/up", timeout=2).close()  # noqa: S310  our own
            return True
        return False
