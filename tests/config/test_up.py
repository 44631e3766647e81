"""`make run`, from a fresh copy to the second start. Each test continues from the previous one."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import requests
from django.core.management import CommandError, call_command

from tests.servers import ROOT, Program, accepts, free_port, wait_until
from tests.service import MIGRATED

NOT_FOR_A_PERSON = {"ENVIRONMENT", "SECRET_KEY", "FIELD_KEYS", "VAR_DIR", "DATABASE_URL", "REDIS_URL", "BASE_URL"}
RECORDS = """
    SELECT count(*) FROM datasets_record WHERE data_set_id IN (
        SELECT datasets_dataset.id FROM datasets_dataset JOIN datasets_datagroup ON group_id = datasets_datagroup.id
        WHERE name = 'demo'
    )
"""  # without the statistics, which are written every minute
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in NOT_FOR_A_PERSON}
MOST_PROCESSES = 5  # web server, web process, worker, and up to two limited processes; `up` itself is not counted
SECRET = re.compile(r"password (\S+)|NOTIFY_API_KEY=(\S+)|DATA_TOKEN=(\S+)")


class Copy:
    """A copy of the repository with the same `.venv`, and the programs that run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
        )
        names = listed.stdout.splitlines() if listed.returncode == 0 else _files_below(ROOT)
        for name in names:
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        # Copy the bytecode with its times; otherwise each of a dozen processes would compile everything.
        for compiled in (each for area in ("config", "datasets", "notifications") for each in _compiled(area)):
            shutil.copytree(compiled, folder / compiled.relative_to(ROOT), dirs_exist_ok=True)
        (folder / ".venv").symlink_to(Path(sys.prefix))
        self.starts = 0

    def migrate(self) -> None:
        """Give the copy the run's migrated database, if there is one, which saves its first start 8 s of CPU time."""
        if MIGRATED and not MIGRATED.startswith("signalbox_"):
            (self.folder / "var").mkdir()
            shutil.copy(MIGRATED, self.folder / "var" / "signalbox.sqlite3")

    def run(self, *arguments: str) -> Program:
        """Start `make run` with its output in a log."""
        self.starts += 1
        log = self.folder / f"run-{self.starts}.log"
        return Program(
            "make", "run", f"PORT={self.port}", *arguments, log=log, environment=ENVIRONMENT, folder=self.folder
        )

    def start(self) -> Program:
        program = self.run()
        program.wait_until(lambda: program.has_said("Ready in"), 150)
        return program

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [".venv/bin/python", "manage.py", *arguments]
        return subprocess.run(command, cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=150)

    def stored(self, query: str) -> object:
        """Return the first value of the query in the copy's database."""
        with closing(sqlite3.connect(self.folder / "var" / "signalbox.sqlite3")) as connection:
            return connection.execute(query).fetchone()[0]


def _compiled(area: str) -> list[Path]:
    return [path for path in (ROOT / area).rglob("__pycache__") if path.is_dir()]


def _files_below(folder: Path) -> list[str]:
    """Return the files below a folder without git, because the tests may run from an archive."""
    left_out = {".venv", "var", ".git"}
    paths = (path.relative_to(folder) for path in folder.rglob("*"))
    return [str(path) for path in paths if path.parts[0] not in left_out and path.name != ".demo.env"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.fixture
def ended():
    """Stop the programs that a failed test has left running."""
    programs: list[Program] = []
    yield programs
    for program in programs:
        program.stop()


def press_ctrl_c(program: Program) -> int:
    """Interrupt the whole foreground group like a terminal, and return make's exit code."""
    os.killpg(program.pid, signal.SIGINT)
    return program.process.wait(60)


def test_the_first_start_prints_everything_a_person_needs_and_ctrl_c_stops_it(copy, ended):
    program = copy.start()
    ended.append(program)
    printed = program.log.read_text()
    email, data = copy.manage("try", "email"), copy.manage("try", "data")
    front = requests.get(f"{copy.url}/", timeout=60)
    wait_until(lambda: copy.stored("SELECT count(*) FROM process_presence WHERE name = 'clock'"))
    press_ctrl_c(program)

    assert f"Console      {copy.url}/admin/    user admin, password " in printed
    assert f"Sandbox      {copy.url}/sandbox/  nothing leaves this machine" in printed
    assert f"API          {copy.url}           docs {copy.url}/docs/" in printed
    assert "Try          ./manage.py try email   |   ./manage.py try data" in printed
    assert re.search(r"^Ready in \d+ s\. Ctrl-C stops\.$", printed, re.MULTILINE)
    assert len(SECRET.findall(printed)) == 3
    assert (email.returncode, data.returncode) == (0, 0), email.stderr + data.stderr
    assert front.status_code == 200
    assert not accepts(copy.port)


def test_the_secrets_are_in_a_file_for_the_owner_only(copy):
    file = copy.folder / ".demo.env"
    sourced = subprocess.run(
        ["sh", "-c", f". {file}; printf '%s' \"$NOTIFY_API_KEY $DATA_TOKEN $EMAIL_TEMPLATE\""],
        capture_output=True,
        text=True,
    )

    assert file.stat().st_mode & 0o777 == 0o600
    assert all(sourced.stdout.split(" "))
    assert len(sourced.stdout.split(" ")) == 3


def test_the_account_of_the_console_has_an_email_address(copy):
    assert copy.stored("SELECT email FROM auth_user WHERE username = 'admin'") == "admin@example.org"


def test_a_taken_port_is_one_line_that_says_how_to_choose_another(copy, ended):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        program = copy.run(f"PORT={port}")
        ended.append(program)
        code = program.process.wait(60)

    lines = [line for line in program.log.read_text().splitlines() if not line.startswith("make")]
    assert code != 0
    assert lines == [
        f"CommandError: Port {port} of 127.0.0.1 is taken. Choose another with `make run PORT={port + 1}`."
    ]


@pytest.mark.parametrize("port", [-1, 0, 65_536, 99_999_999])
def test_an_invalid_port_is_rejected_in_one_line(port):
    with pytest.raises(CommandError, match=r"^--port must be from 1 to 65535\.$"):
        call_command("up", port=port)


def test_demo_secrets_never_leave_the_machine(copy, ended):
    program = copy.run("HOST=0.0.0.0")
    ended.append(program)
    code = program.process.wait(60)

    assert code != 0
    assert "CommandError: SECRET_KEY, FIELD_KEYS, ADMIN_PASSWORD of .demo.env" in program.log.read_text()
    assert not accepts(copy.port)


def test_the_second_start_keeps_everything_and_a_program_that_dies_starts_again(copy, ended):
    before = (copy.folder / ".demo.env").read_text()
    records = copy.stored(RECORDS)

    program = copy.start()
    ended.append(program)
    printed = program.log.read_text()
    family = _family(program.pid)
    for name in ("worker", "web"):
        killed = _named(program.pid, name)
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda name=name, killed=killed: _named(program.pid, name) not in {0, killed})
    wait_until(lambda: accepts(copy.port))
    email = copy.manage("try", "email")
    press_ctrl_c(program)

    assert (copy.folder / ".demo.env").read_text() == before
    assert not [secret for match in SECRET.findall(printed) for secret in match if secret not in {"", "saved"}]
    assert "password saved in .demo.env" in printed
    assert not any(value in printed for value in re.findall(r"(?:KEY|TOKEN|PASSWORD)=(\S+)", before))
    assert copy.stored(RECORDS) == records > 0
    assert len(family) <= MOST_PROCESSES
    assert "worker was ended by SIGKILL. It starts again in 0.5 s." in program.log.read_text()
    assert email.returncode == 0, email.stderr
    assert not accepts(copy.port)
    assert not _family(program.pid)


def _family(pid: int) -> dict[int, str]:
    """Return the processes below `pid` that run, by id, with their names."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    family = {pid}
    for _ in rows:
        family |= {int(row[0]) for row in rows if int(row[1]) in family}
    return {int(row[0]): row[2] for row in rows if int(row[0]) in family - {pid} and "<defunct>" not in row[2]}


def _named(pid: int, name: str) -> int:
    """Return the oldest process below `pid` with this name, or 0."""
    return min((each for each, found in _family(pid).items() if found == name), default=0)
