"""The wheel of `cli/` in a virtual environment of its own, and the service that its tests call."""

import fcntl
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.conftest import Start
from tests.servers import ROOT

CLI = ROOT / "cli"
# Frameworks of the examples, and what tests need. The library itself brings the rest.
BESIDE = ("pytest>=8.3", "flask>=3.0", "django>=5.2,<5.3")


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and install it into an empty environment. Return its interpreter."""
    root = tmp_path_factory.getbasetemp()
    # The processes of a parallel run share one environment.
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    with (root / "cli.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = root / "cli" / "venv" / "bin" / "python"
        if not (root / "cli" / "is-complete").exists():
            _create(root / "cli")
            (root / "cli" / "is-complete").touch()
        return python


def _create(folder: Path) -> None:
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    source = shutil.copytree(CLI, folder / "source", ignore=shutil.ignore_patterns("dist", "__pycache__", "*_cache"))
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    _checked(*pip, "wheel", "--no-deps", "--wheel-dir", folder / "wheels", source)
    (wheel,) = (folder / "wheels").iterdir()
    _checked(*pip, "--python", python, "install", "--no-compile", f"{wheel}[mcp]", *BESIDE)


@pytest.fixture(scope="module")
def environment(start_service: Start) -> dict[str, str]:
    """The variables of a running service with the demo data and a worker."""
    service = start_service(QUEUE_POLL_SECONDS="0.01")
    made = service.manage("demo")
    assert made.returncode == 0, made.stderr
    service.start_worker()
    demo = dotenv_values(service.folder / "var" / ".demo.env")
    return {**_outside(), **{name: value or "" for name, value in demo.items()}, "SIGNALBOX_URL": service.url}


@pytest.fixture(scope="session")
def outside() -> dict[str, str]:
    """The environment of a foreign program."""
    return _outside()


def _outside() -> dict[str, str]:
    """Return the environment without the variables of the suite, which would change a service that a program starts."""
    ours = {"ENVIRONMENT", "SECRET_KEY", "FIELD_KEYS", "VAR_DIR", "DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {name: value for name, value in kept.items() if not name.startswith(("PYTEST_", "MIGRATED_"))}


def _checked(*command: object) -> None:
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
