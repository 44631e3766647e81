"""Only the service's own user can read its state on disk, whatever the umask of the shell."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from config.env import private_folder
from tests.servers import ROOT

PROCESSES = {
    "a command": "from django.core.management import execute_from_command_line as run; run(['manage.py', 'check'])",
    "the web server": "import runpy; runpy.run_path('config/web/gunicorn.py')",
}
SHOW_UMASK = "import os; print(f'umask {os.umask(0):03o}')"


def run(folder: Path, program: str) -> str:
    """Run the program with a permissive umask and its state in `folder`. Return its output."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={
            **os.environ,
            "VAR_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": f"sqlite:///{folder / 'signalbox.sqlite3'}",
            "REDIS_URL": "",
        },
        capture_output=True,
        text=True,
        timeout=100,
        umask=0o022,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def open_to_others(folder: Path) -> list[str]:
    return [str(path) for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]


@pytest.mark.parametrize("program", PROCESSES.values(), ids=PROCESSES)
def test_files_of_a_process_are_for_its_own_user(program, tmp_path):
    printed = run(tmp_path / "var", f"{program}\n{SHOW_UMASK}")

    assert printed.endswith("umask 077\n")
    assert open_to_others(tmp_path / "var") == []


def test_state_of_an_older_version_is_closed_to_others(tmp_path):
    folder = tmp_path / "var"
    folder.mkdir(mode=0o755)
    database = folder / "signalbox.sqlite3"
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE one (id INTEGER)")
    for path in (folder, database):
        path.chmod(0o755 if path is folder else 0o644)

    run(
        folder,
        "import django; django.setup()\nfrom django.db import connection; connection.cursor().execute('SELECT 1')",
    )

    assert open_to_others(folder) == []


def test_a_shared_folder_keeps_its_permissions(tmp_path):
    folder = tmp_path / "like-tmp"
    folder.mkdir()
    folder.chmod(0o1777)

    private_folder(folder)

    assert folder.stat().st_mode & 0o1777 == 0o1777
