"""The first installation in docs/operations.md: it starts with its variables, and commands without them fail."""

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from environs import EnvError
from psycopg.conninfo import conninfo_to_dict

from config.env import check_variables_are_here
from tests import forks, interpreters
from tests.servers import ROOT, PrivatePostgres, postgres_programs

DOCUMENT = (ROOT / "docs" / "operations.md").read_text()
(VARIABLES,) = re.findall(r"^```ini\n(ENVIRONMENT=.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
(DATABASE,) = re.findall(r"^(database\(\) \{\n.*?^\})", DOCUMENT, re.MULTILINE | re.DOTALL)
(STEPS,) = re.findall(r"^```bash\n(apt-get install .*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
(SECRET_STEPS,) = re.findall(r"^```bash\n(\.venv/bin/python -c .*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
SECRETS = {"SECRET_KEY": "mZ0q8Vw3nT5xR7yB2kLp9sD4fG6hJ1" * 2, "METRICS_TOKEN": "a-token-for-the-monitor"}


def test_the_variables_are_enough_for_production(tmp_path):
    given = dict(line.split("=", 1) for line in VARIABLES.splitlines())
    secrets = {**SECRETS, "FIELD_KEYS": Fernet.generate_key().decode()}
    environment = {**os.environ, **given, **secrets, "VAR_DIR": str(tmp_path / "var")}
    assert {name for name, value in given.items() if not value} == set(secrets)

    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    program = forks.start(*check, log=tmp_path / "log", environment=environment)

    assert program.process.wait(100) == 0, program.tail()


def test_every_variable_of_the_readmes_table_is_set_or_has_a_default():
    (table,) = re.findall(
        r"^\| Variable \| Value \|\n(.*?)\n\n", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    in_readme = set(re.findall(r"`([A-Z_]+)`", "".join(row.split("|")[1] for row in table.splitlines())))

    assert in_readme - set(re.findall(r"^([A-Z_]+)=", VARIABLES, re.MULTILINE)) == {"ALLOWED_HOSTS", "FILES_STORAGE"}


def test_a_command_without_the_variables_says_where_they_are(tmp_path, monkeypatch):
    monkeypatch.delenv("ENVIRONMENT")
    kept = tmp_path / "environment"
    check_variables_are_here(kept)
    kept.touch()

    with pytest.raises(EnvError, match=f"ENVIRONMENT is not set, but the variables of production are in {kept}"):
        check_variables_are_here(kept)
    monkeypatch.setenv("ENVIRONMENT", "production")
    check_variables_are_here(kept)


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("", {}),
        ("?prepare_threshold=none", {}),
        ("?prepare_threshold=none&sslmode=require", {"sslmode": "require"}),
        ("?sslmode=require&prepare_threshold=none", {"sslmode": "require"}),
        ("?sslmode=require&prepare_threshold=0&connect_timeout=3", {"sslmode": "require", "connect_timeout": "3"}),
    ],
)
def test_a_backup_works_with_options_in_the_url_of_the_database(query, left, tmp_path):
    kept = tmp_path / "environment"
    kept.write_text(f"ENVIRONMENT=production\nDATABASE_URL=postgres://me:secret@db.example.org/name{query}\n")

    script = f"{DATABASE.replace('/etc/signalbox/environment', str(kept))}\ndatabase"
    printed = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.strip()

    assert (
        conninfo_to_dict(printed)
        == {"user": "me", "password": "secret", "host": "db.example.org", "dbname": "name"} | left
    )


@pytest.fixture
def postgres():
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not on this machine")
    server = PrivatePostgres()
    yield server
    server.stop()


def test_the_steps_lead_to_a_migrated_database(tmp_path, postgres):
    """Run all steps that do not need root."""
    code, state, etc = tmp_path / "opt", tmp_path / "var", tmp_path / "etc"

    def of_this_test(text: str) -> str:
        moved = text.replace("/opt/signalbox", str(code)).replace("/etc/signalbox", str(etc))
        return moved.replace("/var/lib/signalbox", str(state)).replace("runuser -u postgres -- ", "")

    steps = [line for line in of_this_test(STEPS).splitlines() if not line.startswith(("apt-get ", "adduser "))]
    assert len(STEPS.splitlines()) - len(steps) == 2
    cloned = [line.replace("https://git.example.org/signalbox.git", str(ROOT)) for line in steps]
    # Tests have no network, so the packages are linked from the environment of the tests.
    installed = [line for line in cloned if "pip install" not in line and "-m venv" not in line]
    assert len(cloned) - len(installed) == 2
    before, after = installed[:2], installed[2:]
    programs = f"{os.environ['PATH']}:{postgres_programs()}"
    server = {"PGHOST": "127.0.0.1", "PGPORT": str(postgres.port), "PATH": programs}

    run_steps(before, {**os.environ, **server, "PGUSER": "postgres"}, tmp_path)
    interpreters.production(code / ".venv")
    run_steps(after, {**os.environ, **server, "PGUSER": "postgres"}, code)
    secrets = dict(line.split("=", 1) for line in run_steps(SECRET_STEPS.splitlines(), {**os.environ, **server}, code))
    variables = dict(line.split("=", 1) for line in of_this_test(VARIABLES).splitlines())
    kept = etc / "environment"
    kept.write_text("".join(f"{name}={value}\n" for name, value in {**variables, **secrets}.items()))
    nothing_else = {"PATH": programs, "PGHOST": "127.0.0.1", "PGPORT": str(postgres.port), "PGUSER": "signalbox"}
    commands = [f"set -a; . {kept}", *(f".venv/bin/python manage.py {one}" for one in ("check", "migrate"))]
    printed = run_steps(commands, nothing_else, code)

    assert kept.stat().st_mode & 0o777 == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert any("Applying notifications.0001" in line for line in printed)


def run_steps(lines: list[str], environment: dict[str, str], folder: Path) -> list[str]:
    done = subprocess.run(
        ["bash", "-ec", "\n".join(lines)], cwd=folder, env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()
