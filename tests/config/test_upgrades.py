"""A stored database of an earlier release upgrades to the newest tables and keeps its rows.

Each dump has the demo data of its release. `development` was dumped between 1.1.0 and the next release.
Source: docs/operations.md, Upgrade.
"""

import gzip
import os
import sqlite3
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import dj_database_url
import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from tests import forks
from tests.servers import postgres_database

DUMPS = Path(__file__).parent / "upgrades"
# Its rows were moved in version 1.1.0, which stopped using it.
UNUSED = "notifications_unsubscriberequest"
WAY_BACK = """
import django
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

django.setup()
apps = ("notifications", "datasets", "operations", "config")
MigrationExecutor(connection).migrate([(app, "0001_version_1_1") for app in apps])
"""
# An upgrade adds rows to these tables.
CHANGING = {"django_migrations", "operations_account_name", "auth_permission", "django_content_type"}


class Stored:
    """A database that was restored from a dump."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.log = folder / "log"
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "VAR_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }

    def check_succeeds(self, *command: str) -> None:
        program = forks.start(*command, log=self.log, environment=self.environment)
        assert program.process.wait(forks.TIMEOUT_SECONDS) == 0, program.tail()

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        if self.url.startswith("postgres"):
            with psycopg.connect(self.url) as opened:
                cursor = opened.execute(statement.encode())
                return cursor.fetchall() if cursor.description else []
        with closing(sqlite3.connect(dj_database_url.parse(self.url)["NAME"])) as opened, opened:
            return opened.execute(statement).fetchall()

    def tables(self) -> set[str]:
        named = (
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
            if self.url.startswith("postgres")
            else "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        return {str(name) for (name,) in self.execute(named)} - {UNUSED}

    def row_counts(self) -> dict[str, object]:
        counted = self.tables() - CHANGING
        return {table: self.execute(f'SELECT count(*) FROM "{table}"')[0][0] for table in counted}  # noqa: S608  a table

    def columns(self, table: str) -> list[str]:
        if self.url.startswith("postgres"):
            named = f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'"  # noqa: S608  a table
            return [str(name) for (name,) in self.execute(named)]
        return [str(row[1]) for row in self.execute(f"PRAGMA table_info({table})")]


@pytest.fixture
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stored]:
    dump = gzip.decompress((DUMPS / f"{request.param}.{connection.vendor}.sql.gz").read_bytes()).decode()
    if connection.vendor == "sqlite":
        restored = connection.copy()  # Django's connections have the functions of the triggers and constraints
        restored.settings_dict["NAME"] = str(tmp_path / "signalbox.sqlite3")
        restored.ensure_connection()
        restored.disable_constraint_checking()  # the tables are not in the order of their references
        restored.connection.executescript(dump)
        restored.close()
        yield Stored(f"sqlite:///{restored.settings_dict['NAME']}", tmp_path)
        return
    with postgres_database(os.environ["DATABASE_URL"], f"signalbox_{uuid.uuid4().hex[:12]}") as url:
        load = ["psql", "-q", "-v", "ON_ERROR_STOP=1", url]
        subprocess.run(load, input=dump, check=True, text=True, capture_output=True)
        yield Stored(url, tmp_path)


def columns_of(table: str) -> set[str]:
    with connection.cursor() as cursor:
        return {column.name for column in connection.introspection.get_table_description(cursor, table)}


@pytest.mark.django_db
@pytest.mark.parametrize("stored", ["1.1.0", "development"], indirect=True)
def test_an_earlier_database_gets_the_newest_tables_and_keeps_its_rows(stored: Stored) -> None:
    before, tables = stored.row_counts(), stored.tables()

    stored.check_succeeds("manage.py", "migrate")

    assert before["notifications_notification"]
    assert before["datasets_record"]
    assert {table: count for table, count in stored.row_counts().items() if table in before} == before
    assert {table: set(stored.columns(table)) for table in stored.tables()} == {
        table: columns_of(table) for table in connection.introspection.table_names()
    }
    stored.check_succeeds("manage.py", "audit", "verify")
    if "periodic_job" not in tables:  # that of 1.1.0
        _check_the_way_back(stored, before, tables)


def _check_the_way_back(stored: Stored, before: dict[str, object], tables: set[str]) -> None:
    stored.check_succeeds("-c", WAY_BACK)

    assert stored.tables() == tables
    assert stored.row_counts() == before


@pytest.mark.django_db
@pytest.mark.parametrize(
    "names", [["0001_straight_road"], ["0001_straight_road", "0074_callback_once_a_data_set_event"]]
)
def test_a_database_before_1_1_0_is_refused(names: list[str]) -> None:
    """Versions before 1.0.0 had other migrations, and 1.0.0 had a part of those of 1.1.0."""
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app="notifications").delete()
    for name in names:
        recorder.record_applied("notifications", name)

    with pytest.raises(CommandError, match=r"of a version before 1\.1\.0\. Upgrade it to 1\.1\.0 first"):
        call_command("migrate", verbosity=0)
