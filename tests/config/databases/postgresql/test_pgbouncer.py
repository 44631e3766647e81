"""The service works through a real PgBouncer in transaction mode, with the roles and the settings of `deploy`.

Source: docs/scaling.md, What to add next.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from tests.datasets.test_http import Writer
from tests.servers import AS_POSTGRES, ROOT, Program, accepts, free_port, postgres_database
from tests.service import MIGRATED, Service

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@pytest.fixture(scope="module")
def name() -> str:
    """Return a unique name, which replaces `signalbox` in the names of the database and its roles."""
    return f"sb_{uuid.uuid4().hex[:10]}"


@pytest.fixture(scope="module")
def database(name) -> Iterator[str]:
    """Create a migrated database and the roles of `roles.sql`. Yield the URL of the server's superuser."""
    server = os.environ["DATABASE_URL"]
    with ExitStack() as closing:
        url = closing.enter_context(postgres_database(server, name, template=MIGRATED))
        roles = (ROOT / "deploy/postgresql/roles.sql").read_text().replace("signalbox", name)
        with psycopg.connect(url, autocommit=True) as superuser:
            superuser.execute(roles)
            superuser.execute(roles)  # it may run again
        yield url
        with psycopg.connect(url, autocommit=True) as superuser:
            for role in (f"{name}_web", f"{name}_worker", name):
                superuser.execute(f"REASSIGN OWNED BY {role} TO postgres; DROP OWNED BY {role}; DROP ROLE {role}")


@pytest.fixture(scope="module")
def pooled(name, database) -> Iterator[str]:
    """Start PgBouncer with the settings of `deploy`. Yield the address behind the role in DATABASE_URL."""
    server = urlsplit(database)
    folder = Path(tempfile.mkdtemp(prefix="signalbox-pgbouncer-"))
    users, settings = folder / "userlist.txt", folder / "pgbouncer.ini"
    own = {
        "listen_port": str(free_port()),
        "auth_type": "trust",  # the test has no passwords
        "auth_file": str(users),
        "default_pool_size": "2",
    }
    text = (ROOT / "deploy/postgresql/pgbouncer.ini").read_text()
    text = re.sub(r"^signalbox = .*$", f"{name} = host={server.hostname} port={server.port}", text, flags=re.MULTILINE)
    text = re.sub(r"^max_prepared_statements .*$", "", text, flags=re.MULTILINE)
    for key, value in own.items():
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
    settings.write_text(text)
    users.write_text(f'"{name}_web" ""\n')
    command = [PROGRAM, str(settings)]
    if os.geteuid() == 0:  # it refuses to run as root
        for path in (folder, users, settings):
            shutil.chown(path, "postgres")
        command = [*AS_POSTGRES, *command]
    program = Program(*command, log=folder / "log", folder=Path("/"))
    program.wait_until(lambda: accepts(int(own["listen_port"])))
    yield f"127.0.0.1:{own['listen_port']}/{name}?prepare_threshold=none"
    program.stop()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def service(request, start_service) -> Service | None:
    """Start a service that knows PostgreSQL by PgBouncer only. None on SQLite, which needs no pooler."""
    if connection.vendor != "postgresql":
        return None
    pooled, name = request.getfixturevalue("pooled"), request.getfixturevalue("name")
    started: Service = start_service(DATABASE_URL=f"postgres://{name}_web@{pooled}", DATABASE_POOLER="pgbouncer")
    return started


def test_sorted_exports_at_the_same_time_are_complete(service: Service | None) -> None:
    if service is None:
        return
    writer = Writer(service)
    moment = {"_timestamp": "2026-11-24T10:00:00Z"}
    stored = writer.post([{"_id": str(number), "value": number % 7, **moment} for number in range(5_000)])

    def lines(number: int) -> int:
        return len(writer.call("GET", **{"X-Number": str(number)}).text.splitlines())

    writer.url += "?format=ndjson&sort_by=value:ascending"
    with ThreadPoolExecutor(6) as threads:
        counts = list(threads.map(lines, range(6)))

    assert stored.status_code == 200, stored.text[:500]
    assert counts == [5_000] * 6


def test_the_roles_have_the_time_limits_that_doctor_demands(service: Service | None, request, name) -> None:
    if service is None:
        return
    database = request.getfixturevalue("database")

    def finding() -> dict[str, str]:
        found = json.loads(service.manage("doctor", "--json").stdout)
        return next(one for one in found if one["name"] == "database")

    with_limit = finding()
    with psycopg.connect(database, autocommit=True) as superuser:
        superuser.execute(f"ALTER ROLE {name}_web SET statement_timeout = 0")
        superuser.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [f"{name}_web"])
        limits = superuser.execute(
            "SELECT rolname, unnest(rolconfig) FROM pg_roles WHERE rolname LIKE %s", [f"{name}%"]
        ).fetchall()
    without_limit = finding()

    assert with_limit["fix"] == ""
    assert "roles.sql" in without_limit["fix"]
    assert (f"{name}_worker", "statement_timeout=60s") in limits


def test_the_web_role_cannot_change_tables(service: Service | None, request, name) -> None:
    if service is None:
        return
    server = urlsplit(request.getfixturevalue("database"))
    web = f"postgres://{name}_web@{server.hostname}:{server.port}/{name}"

    with psycopg.connect(web) as connected, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connected.execute("ALTER TABLE notifications_service ADD COLUMN extra int")


def test_the_program_is_there() -> None:
    assert PROGRAM, "Install pgbouncer, as .ci/run does."
    assert subprocess.run([PROGRAM, "--version"], capture_output=True, check=True).stdout
