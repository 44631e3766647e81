"""The errors of `make` on a machine that lacks something: one line with the fix."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers import ROOT

TOOLS = ("sh", "make", "awk", "df", "cmp", "cp", "echo", "tail", "rm", "[")


@pytest.fixture
def machine(tmp_path):
    """Return a folder with the Makefile, and a PATH with only the most basic programs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (programs / tool).symlink_to(found)
    clone = tmp_path / "clone"
    clone.mkdir()
    shutil.copy(ROOT / "Makefile", clone)
    shutil.copy(ROOT / "requirements.txt", clone)
    return tmp_path


def install(machine: Path, name: str, script: str) -> None:
    program = machine / "bin" / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def make_run(machine: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(machine / "bin"), "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(
        [machine / "bin" / "make", "run", *arguments],
        cwd=machine / "clone",
        env=environment,
        capture_output=True,
        text=True,
    )


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("make")]


def test_a_machine_without_python_gets_one_line(machine):
    done = make_run(machine)

    assert done.returncode != 0
    assert said(done) == [
        "Python 3.11 or newer was not found. Install it from your system's packages or from python.org."
    ]


def test_an_old_python_and_a_shim_get_one_line(machine):
    install(machine, "python3", "exit 1")
    install(machine, "python3.12", "echo 'python3.12: command not found' >&2; exit 127")

    done = make_run(machine)

    assert done.returncode != 0
    assert said(done)[0].startswith("Python 3.11 or newer was not found")


def test_a_given_python_is_preferred(machine):
    for name in ("python3.11", "chosen"):
        install(machine, name, f'case "$*" in --version) echo {name};; "-m venv"*) exit 1;; esac')

    done = make_run(machine, "PYTHON=chosen")

    assert said(done) == [
        "Creating .venv with chosen",
        ".venv could not be created. Check that the disk has free space.",
    ]


def test_a_python_without_venv_gets_one_line(machine):
    install(machine, "python3.11", 'case "$2" in *ensurepip*) exit 1;; esac')

    done = make_run(machine)

    assert done.returncode != 0
    assert said(done) == ["Python's venv is missing. Install it (Debian and Ubuntu: apt install python3-venv)."]


def test_a_full_disk_gets_one_line(machine):
    (machine / "clone" / ".venv").mkdir()
    (machine / "bin" / "df").unlink()
    install(machine, "df", "echo header; echo '/dev/x 100 90 10240 90% /'")

    done = make_run(machine)

    assert done.returncode != 0
    assert said(done) == ["The disk has 10 MB of free space. The installation needs 700 MB."]
