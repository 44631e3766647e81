"""Start a clone of Signalbox for a test run, on a free port, with an empty database and the sandbox alone."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

from signalbox.errors import SignalboxError

START_SECONDS = 90
POLL_SECONDS = "0.01"  # a test waits for the file queue


class Embedded:
    """A running service. `environment` has the values of its demo data, or of the provisioned file."""

    def __init__(self, home: Path, folder: Path, provision: Path | None = None) -> None:
        """home: the clone; folder: for its database and files; provision: a file with services and templates"""
        self._home, self._folder, self._provision = home.resolve(), folder, provision
        self._process: subprocess.Popen[bytes] | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        self.url = f"http://127.0.0.1:{self._port}"
        self.environment: dict[str, str] = {}
        self._variables = {
            **os.environ,
            "VAR_DIR": str(folder),
            "PROVIDERS": "sandbox",
            "ENVIRONMENT": "local",
            "QUEUE_POLL_SECONDS": POLL_SECONDS,
            "DATABASE_URL": f"sqlite:///{folder / 'signalbox.sqlite3'}",
            "REDIS_URL": "",
            **dict.fromkeys(("BASE_URL", "DATA_BASE_URL", "FILES_BASE_URL"), self.url),
        }
        python = self._home / ".venv" / "bin" / "python"
        self._python = str(python) if python.exists() else sys.executable

    def __enter__(self) -> Self:
        if not (self._home / "manage.py").exists():
            raise SignalboxError(f"{self._home} is no clone of Signalbox", fix="Set SIGNALBOX_HOME to its folder.")
        log = self._folder / "signalbox.log"
        command = [self._python, "manage.py", "up", "--port", str(self._port)]
        with log.open("wb") as written:
            self._process = subprocess.Popen(
                command, cwd=self._home, env=self._variables, stdout=written, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready(log):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._stop()
                raise SignalboxError(f"Signalbox did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)
        self.environment = self._provisioned() if self._provision else self._demo()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _is_ready(self, log: Path) -> bool:
        if "Ready in" not in log.read_text(errors="replace"):
            return False
        try:
            with urllib.request.urlopen(f"{self.url}/_status", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def _demo(self) -> dict[str, str]:
        """Return the values that the demo data has written, such as NOTIFY_API_KEY and EMAIL_TEMPLATE."""
        lines = (self._folder / ".demo.env").read_text().splitlines()
        pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
        return {name: value.strip("'\"") for name, _, value in pairs}

    def _provisioned(self) -> dict[str, str]:
        """Return the keys and ids of the file: the first API key, and the id of each template by its name.

        `$SIGNALBOX_URL` in the file stands for the URL of the service, which is another one in each run.
        """
        document = self._provision.read_text(encoding="utf-8") if self._provision else ""
        done = subprocess.run(
            [self._python, "manage.py", "provision", "-"],
            cwd=self._home,
            env=self._variables,
            input=document.replace("$SIGNALBOX_URL", self.url),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SignalboxError(f"{self._provision} was refused:\n{done.stderr}")
        found: dict[str, str] = {}
        for service in json.loads(done.stdout).get("services", []):
            for key in service.get("api_keys", []):
                found.setdefault("NOTIFY_API_KEY", str(key.get("api_key", "")))
            for template in service.get("templates", []):
                found[str(template.get("name"))] = str(template.get("id", ""))
        return found
