"""The distribution in `cli/`: its own tests, its types and its examples, with the wheel in an empty environment."""

import subprocess
import sys

from django.db import connection

from tests.cli.conftest import CLI
from tests.servers import ROOT

ASK_THE_SERVICE = ("test_commands.py", "test_data_sets.py", "test_docstrings.py", "test_mcp.py")


def test_the_library_and_the_command_line_pass_their_tests(python, environment):
    files = [f"tests/{name}" for name in ASK_THE_SERVICE] if connection.vendor == "postgresql" else ["tests"]
    command = [python, "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir", ".", *files]

    done = subprocess.run(command, cwd=CLI, env=environment, capture_output=True, text=True, timeout=300)

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert "skipped" not in done.stdout


def test_a_foreign_project_tests_itself_with_the_pytest_plugin(python, outside):
    """It starts the service itself, also where the variables of another installation are set."""
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]

    environment = {**outside, "BASE_URL": "https://signalbox.example.org"}

    done = subprocess.run(
        command,
        cwd=ROOT / "docs" / "examples" / "own_tests",
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert "3 passed" in done.stdout


def test_the_types_are_strict(python):
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--python-executable", python]

    done = subprocess.run(command, cwd=CLI, capture_output=True, text=True, timeout=300)

    assert done.returncode == 0, done.stdout


def test_the_distribution_imports_nothing_of_the_product():
    sources = {path: path.read_text() for path in (CLI / "src").rglob("*.py")}

    for name in ("config", "datasets", "notifications", "django"):
        assert [path for path, text in sources.items() if f"import {name}" in text or f"from {name}" in text] == []
