"""Two PostgreSQL servers under Patroni, three of etcd, and pgBackRest with a repository that both servers share."""

import contextlib
import http.client
import secrets
import subprocess
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.scaleout.configuration import deployed
from benchmarks.scaleout.machine import Machine
from tests.servers import ROOT, Program, wait_until

CONFIG = "/etc/patroni/config.yml"
REPOSITORY = "/var/lib/pgbackrest"
_PASSWORD = "replace-this"  # noqa: S105  of patroni.yml
_CIPHER = "replace-this-with-48-random-characters"


class Cluster:
    def __init__(self, servers: tuple[Machine, Machine], keepers: tuple[Machine, ...], folder: Path) -> None:
        self.servers, self.keepers = servers, keepers
        self.password, self._cipher = secrets.token_hex(16), secrets.token_hex(24)
        self._repository = folder / "pgbackrest"
        for number, keeper in enumerate(keepers, 1):
            self._start_etcd(keeper, number)
        for number, server in enumerate(servers, 1):
            self._configure(server, number)
        for program in [self.start(server) for server in servers]:
            program.wait_until(self.has_a_synchronous_replica)
        self.leader().run("pgbackrest", "--stanza=signalbox", "stanza-create", user="postgres")

    def start(self, server: Machine) -> Program:
        return server.start("patroni", "patroni", CONFIG, user="postgres")

    def create_database(self, passwords: str = "") -> None:
        """Create the database, its roles and their passwords, as deploy/README.md does."""
        leader = self.leader()
        leader.run("createdb", "signalbox", user="postgres")
        for script in (deployed("postgresql/roles.sql"), passwords):
            leader.run("psql", "--quiet", "--set", "ON_ERROR_STOP=1", "signalbox", user="postgres", input=script)

    def recreate_database(self) -> None:
        """Drop the database with all its rows, and create it again. PgBouncer knows the passwords, so they stay."""
        self.leader().run("dropdb", "--force", "signalbox", user="postgres")
        self.create_database()

    def user_list(self) -> str:
        """Return the lines of PgBouncer's auth_file."""
        query = "SELECT format('\"%s\" \"%s\"', rolname, rolpassword) FROM pg_authid WHERE rolname LIKE 'signalbox%'"
        return self.leader().run("psql", "-Atc", query, user="postgres")

    def leader(self) -> Machine:
        """Return the server that Patroni calls the leader, as HAProxy finds it. Waits for one."""
        found: list[Machine] = []

        def find() -> bool:
            found[:] = [server for server in self.servers if self.is_leader(server)]
            return bool(found)

        wait_until(find, 60)
        return found[0]

    def other(self, server: Machine) -> Machine:
        return self.servers[1 - self.servers.index(server)]

    def is_replica(self, server: Machine) -> bool:
        return answers(server, "/replica")

    def is_leader(self, server: Machine) -> bool:
        return answers(server, "/primary")

    def has_a_synchronous_replica(self) -> bool:
        return any(answers(server, "/synchronous") for server in self.servers)

    def connect(self, server: Machine, database: str = "signalbox") -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=server.address,
            dbname=database,
            user="postgres",
            password=self.password,
            sslmode="require",
            connect_timeout=2,
            autocommit=True,
        )

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query on the leader."""
        with self.connect(self.leader()) as connection:
            return connection.execute(query).fetchall()  # type: ignore[arg-type]  # a constant query

    def _start_etcd(self, machine: Machine, number: int) -> None:
        text = deployed("postgresql/etcd.yml")
        head, _, members = text.partition("initial-cluster: ")
        head = head.replace("name: etcd-1", f"name: etcd-{number}").replace(self.keepers[0].address, machine.address)
        machine.write("/etc/etcd/etcd.yml", f"{head}initial-cluster: {members}")
        machine.run("install", "-d", "-o", "etcd", "-g", "etcd", "-m", "0700", "/var/lib/etcd/signalbox")
        machine.start("etcd", "etcd", "--config-file", "/etc/etcd/etcd.yml", user="etcd")

    def _configure(self, machine: Machine, number: int) -> None:
        replaced = {_PASSWORD: self.password, "name: postgresql-1": f"name: postgresql-{number}"}
        text = deployed("postgresql/patroni.yml", replaced).replace(self.servers[0].address, machine.address)
        machine.write(CONFIG, text, owner="postgres", mode=0o600)
        machine.run("pg_dropcluster", "17", "main")  # Debian makes it when the package is installed
        machine.run("install", "-d", "-o", "postgres", "-g", "postgres", "/run/postgresql", "/run/pgbackrest")
        self._repository.mkdir(exist_ok=True)
        subprocess.run(["mount", "--bind", self._repository, machine.root / REPOSITORY.lstrip("/")], check=True)
        machine.own(REPOSITORY, "postgres")
        pgbackrest = deployed("postgresql/pgbackrest.conf", {_CIPHER: self._cipher})
        machine.write("/etc/pgbackrest.conf", pgbackrest, owner="postgres", mode=0o640)
        machine.write("/usr/local/bin/backup.sh", (ROOT / "deploy/postgresql/backup.sh").read_text(), mode=0o755)


def answers(server: Machine, path: str) -> bool:
    """Return whether Patroni on this machine answers 200."""
    connection = http.client.HTTPConnection(server.address, 8008, timeout=1)
    with contextlib.suppress(OSError, http.client.HTTPException):
        connection.request("GET", path)
        return connection.getresponse().status == 200
    return False
