"""Spectral, a linter for OpenAPI, finds nothing in the document."""

import fcntl
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from config.docs.document import document

FOLDER = Path(__file__).parent / "spectral"


@pytest.fixture(scope="module")
def spectral() -> Path:
    """Return the program, which the first use installs. After that, it needs no network."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("Spectral: npm is not on this machine")
    program = FOLDER / "node_modules" / ".bin" / "spectral"
    with (FOLDER / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the suite runs in several processes
        if not program.exists():
            options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
            done = subprocess.run([npm, "ci", *options], cwd=FOLDER, capture_output=True, text=True, timeout=240)
            if done.returncode:
                pytest.skip(f"Spectral: it could not be installed ({done.stderr.strip()[-200:]})")
    return program


def lint(spectral: Path, folder: Path, content: object) -> subprocess.CompletedProcess[str]:
    path = folder / "openapi.json"
    path.write_text(json.dumps(content))
    command = [spectral, "lint", path, "--ruleset", FOLDER / "ruleset.yaml", "--fail-severity", "warn"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_spectral_finds_nothing(spectral, tmp_path):
    done = lint(spectral, tmp_path, document())

    assert done.returncode == 0, done.stdout


def test_spectral_finds_an_array_without_items(spectral, tmp_path):
    whole = document()
    path = "/data/{group}/{type}"
    broken = json.loads(json.dumps({**whole, "paths": {path: whole["paths"][path]}}))  # one path is checked faster
    del broken["paths"][path]["put"]["requestBody"]["content"]["application/json"]["schema"]["items"]

    done = lint(spectral, tmp_path, broken)

    assert (done.returncode, "array-items" in done.stdout) == (1, True), done.stdout
