"""A parallel run of the tests reports what a run in one process reports. Source: docs/testing.md."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from tests.servers import ROOT

FILES = {
    "test_passing": """
        import warnings
        def test_passes():
            print("a word of the first file")
            warnings.warn("an old name", DeprecationWarning)
    """,
    "test_failing": """
        import pytest
        def test_fails():
            print("a word of the second file")
            assert 1 == 2
        def test_skips(): pytest.skip("no server")
        @pytest.fixture
        def broken():
            yield
            raise ValueError("broken at its end")
        def test_fails_at_its_end(broken): pass
    """,
    "test_killed": """
        import os, signal
        def test_ends_its_process(): os.kill(os.getpid(), signal.SIGKILL)
        def test_is_lost(): pass
    """,
    "test_apart": """
        import os
        from django.conf import settings
        from django.db import connection
        connection.vendor  # before the process forks
        def test_has_its_own_folder():
            assert os.environ["VAR_DIR"].endswith(("/gw0", "/gw1"))
            assert str(settings.VAR) == os.environ["VAR_DIR"]
            assert str(settings.FILES_DIR).startswith(os.environ["VAR_DIR"])
            assert settings.DATABASES["default"]["TEST"] is connection.settings_dict["TEST"]
            assert str(connection.settings_dict["TEST"]["NAME"]).startswith(os.environ["VAR_DIR"])
    """,
    "test_alone": """
        import pytest, multiprocessing
        pytestmark = pytest.mark.alone
        def test_runs_last(request): assert request.config.workerinput["workerid"] == "gw0"
    """,
}


def run(folder: Path, *names: str) -> tuple[int, str, dict[str, str]]:
    """Run these files in two processes. Return the exit code, the output, and the outcome of each test by name."""
    for name in names:
        lines = FILES[name].strip("\n").splitlines()
        (folder / f"{name}.py").write_text("\n".join(line.removeprefix(8 * " ") for line in lines))
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p tests.environment -p tests.parallel -p no:django\n")
    command = [sys.executable, "-m", "pytest", "--processes", "2", "--junit-xml", "report.xml", "--strict-markers"]
    environment = {name: value for name, value in os.environ.items() if name not in {"VAR_DIR", "REDIS_URL"}}
    environment |= {"PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [*command, "-o", "markers=alone: last", *(f"{name}.py" for name in names)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    outcomes = {}
    for test in ElementTree.parse(folder / "report.xml").iter("testcase"):  # noqa: S314  written by pytest
        outcomes[str(test.get("name"))] = ",".join(child.tag for child in test) or "passed"
    return done.returncode, done.stdout + done.stderr, outcomes


def test_the_outcome_of_each_test_is_reported(tmp_path: Path) -> None:
    code, printed, outcomes = run(tmp_path, "test_passing", "test_failing", "test_apart", "test_alone")

    assert outcomes == {
        "test_passes": "passed",
        "test_fails": "failure",
        "test_skips": "skipped",
        "test_fails_at_its_end": "error",
        "test_has_its_own_folder": "passed",
        "test_runs_last": "passed",
    }
    assert code == 1
    assert "a word of the second file" in printed
    assert "a word of the first file" not in printed
    assert re.search(r"1 failed, 4 passed, 1 skipped,.* 1 error", printed)


def test_a_killed_process_fails_the_run_and_names_its_test(tmp_path: Path) -> None:
    code, printed, outcomes = run(tmp_path, "test_passing", "test_killed")

    assert outcomes == {"test_passes": "passed", "test_ends_its_process": "failure"}
    assert code == 1
    assert "ended with exit code -9" in printed


def test_a_run_without_failures_succeeds(tmp_path: Path) -> None:
    code, printed, _ = run(tmp_path, "test_passing", "test_alone")

    assert code == 0
    assert "2 passed" in printed
    assert printed.count("Warning: DeprecationWarning: an old name") == 1
