"""The programs in docs/examples/ run unchanged against a running service with the demo data."""

import importlib.util
import os
import subprocess
import sys

import pytest
from dotenv import dotenv_values

from tests.servers import ROOT

EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture(scope="module")
def demo(service, worker):
    made = service.manage("demo")
    assert made.returncode == 0, made.stderr
    return {**os.environ, **dotenv_values(service.folder / "var" / ".demo.env"), "API": service.url}


def run(name: str, environment) -> list[str]:
    command = [sys.executable, EXAMPLES / name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_an_email_is_sent_and_the_test_helper_finds_it(demo, monkeypatch):
    monkeypatch.setenv("API", demo["API"])
    specification = importlib.util.spec_from_file_location("sandbox", EXAMPLES / "sandbox.py")
    sandbox = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(sandbox)

    (status,) = run("send_email.py", demo)
    found = sandbox.wait_email(to="ana@example.org", contains="a passport")

    assert status in {"created", "sending", "delivered"}
    assert found["reference"] == "order-1042"
    with pytest.raises(TimeoutError, match="contains 'nothing like it'"):
        sandbox.wait_email(to="ana@example.org", contains="nothing like it", seconds=0.1)


def test_records_are_written_and_read_back(demo):
    assert run("write_records.py", demo) == ["ok", "3"]


def test_an_error_is_one_line_with_the_fix(demo):
    command = [sys.executable, EXAMPLES / "write_records.py"]

    done = subprocess.run(command, env={**demo, "DATA_TOKEN": "ds_wrong"}, capture_output=True, text=True, timeout=100)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_the_programs_are_short():
    assert [path.name for path in EXAMPLES.glob("*.py") if len(path.read_text().splitlines()) > 50] == []
