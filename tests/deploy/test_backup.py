"""The scheduled dump of the database. Source: docs/operations.md, Backup and restore."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import yaml

from tests.servers import ROOT, PrivatePostgres, postgres_database

SUCCESS = "signalbox_backup_last_success_timestamp_seconds"
EXPECTED = "signalbox_backup_expected_since_timestamp_seconds"


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A database with a table like that of Django's migrations, and one with rows."""
    server = PrivatePostgres()
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE django_migrations (name text)")
        connection.execute("CREATE TABLE message AS SELECT generate_series(1, 1000) AS id")
    yield server.url
    server.stop()


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    dumps, metrics = tmp_path / "dumps", tmp_path / "metrics"
    dumps.mkdir()
    metrics.mkdir()
    return dumps, metrics


def dump(url: str, *folders: Path, path: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": url, "PATH": f"{path}{os.environ['PATH']}"}
    command = ["bash", ROOT / "deploy/backup/dump.sh", *folders]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def metric(folder: Path, name: str) -> float:
    """Return the age of a time in seconds."""
    (line,) = [line for line in (folder / f"{name}.prom").read_text().splitlines() if line.startswith(name)]
    return time.time() - float(line.split()[1])


def test_a_dump_restores_every_row_and_its_time_is_recorded(database: str, folders: tuple[Path, Path]) -> None:
    dumps, metrics = folders
    done = dump(f"{database}?prepare_threshold=0", dumps, metrics)

    assert done.returncode == 0, done.stderr
    (file,) = dumps.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    with postgres_database(database, "restored") as restored:
        subprocess.run(["pg_restore", "--no-owner", f"--dbname={restored}", file], check=True)
        with psycopg.connect(restored) as connection:
            row = connection.execute("SELECT count(*), max(id) FROM message").fetchone()
    assert row == (1000, 1000)
    assert metric(metrics, SUCCESS) < 600
    assert (metrics / f"{SUCCESS}.prom").stat().st_mode & 0o777 == 0o644


def test_old_dumps_are_deleted_only_after_a_new_one_was_made(database: str, folders: tuple[Path, Path]) -> None:
    dumps, metrics = folders
    old = dumps / "signalbox-20260101T013000Z.dump"
    old.write_text("old")
    os.utime(old, (0, 0))

    failed = dump(f"{database}-of-nobody", dumps, metrics)
    kept = old.exists()
    made = dump(database, dumps, metrics)

    assert (failed.returncode != 0, kept) == (True, True)
    assert (made.returncode, old.exists()) == (0, False)


def test_a_backup_that_never_succeeds_is_visible(database: str, folders: tuple[Path, Path]) -> None:
    dumps, metrics = folders

    done = dump(f"{database}-of-nobody", dumps, metrics)

    assert done.returncode != 0
    assert list(dumps.iterdir()) == []
    assert metric(metrics, EXPECTED) < 600
    assert not (metrics / f"{SUCCESS}.prom").exists()


def test_a_database_of_another_program_is_no_backup(database: str, folders: tuple[Path, Path]) -> None:
    dumps, metrics = folders
    with postgres_database(database, "empty", template="template0") as empty:
        done = dump(empty, dumps, metrics)

    assert done.returncode != 0
    assert "no tables of Signalbox" in done.stderr
    assert list(dumps.iterdir()) == []


def test_a_damaged_dump_is_found(database: str, folders: tuple[Path, Path], tmp_path: Path) -> None:
    """A disk that loses the second half of the file."""
    programs, whole = tmp_path / "programs", shutil.which("pg_dump")
    programs.mkdir()
    (programs / "pg_dump").write_text(
        f'#!/bin/bash\n{whole} "$@" && for a; do f="${{a#--file=}}"; [ "$f" = "$a" ] || '
        'truncate --size=-3000 "$f"; done\n'
    )
    (programs / "pg_dump").chmod(0o755)
    dumps, metrics = folders

    done = dump(database, dumps, metrics, path=f"{programs}:")

    assert done.returncode != 0
    assert list(dumps.iterdir()) == []
    assert not (metrics / f"{SUCCESS}.prom").exists()


def test_the_cron_job_runs_the_script_and_kubernetes_accepts_it(tmp_path: Path) -> None:
    folder = ROOT / "deploy/backup"
    job, volume = yaml.safe_load_all((folder / "cronjob.yaml").read_text())
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    validate = [ROOT / ".venv/bin/kubernetes-validate", "--strict", "--kubernetes-version", "1.32"]
    checked = subprocess.run([*validate, folder / "cronjob.yaml"], capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stderr
    assert container["command"] == ["bash", "/opt/backup/dump.sh", "/dumps"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert volume["metadata"]["name"] == "dumps"
    alert = (ROOT / "deploy/prometheus/alerts.yml").read_text()
    assert f'namespace="signalbox",cronjob="{job["metadata"]["name"]}"' in alert
