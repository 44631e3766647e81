"""The first installation in docs/operations.md: its variables start, and commands without them do not."""

import os
import re
import subprocess

import pytest
from cryptography.fernet import Fernet
from environs import EnvError
from psycopg.conninfo import conninfo_to_dict

from config.env import check_variables_are_here
from tests import forks
from tests.servers import ROOT

DOCUMENT = (ROOT / "docs" / "operations.md").read_text()
(VARIABLES,) = re.findall(r"^```ini\n(ENVIRONMENT=.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
(DATABASE,) = re.findall(r"^(database\(\) \{\n.*?^\})", DOCUMENT, re.MULTILINE | re.DOTALL)
SECRETS = {"SECRET_KEY": "mZ0q8Vw3nT5xR7yB2kLp9sD4fG6hJ1" * 2, "METRICS_TOKEN": "a-token-for-the-monitor"}


def test_the_variables_are_all_that_production_asks_for(tmp_path):
    given = dict(line.split("=", 1) for line in VARIABLES.splitlines())
    secrets = {**SECRETS, "FIELD_KEYS": Fernet.generate_key().decode()}
    environment = {**os.environ, **given, **secrets, "VAR_DIR": str(tmp_path / "var")}
    assert {name for name, value in given.items() if not value} == set(secrets)

    check = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    program = forks.start(*check, log=tmp_path / "log", environment=environment)

    assert program.process.wait(100) == 0, program.tail()


def test_every_variable_of_the_readmes_table_is_among_them_or_has_a_default():
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
def test_a_backup_finds_the_database_whatever_options_of_ours_its_url_has(query, left, tmp_path):
    kept = tmp_path / "environment"
    kept.write_text(f"ENVIRONMENT=production\nDATABASE_URL=postgres://me:secret@db.example.org/name{query}\n")

    script = f"{DATABASE.replace('/etc/signalbox/environment', str(kept))}\ndatabase"
    printed = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.strip()

    assert (
        conninfo_to_dict(printed)
        == {"user": "me", "password": "secret", "host": "db.example.org", "dbname": "name"} | left
    )
