"""A scripted message centre for texts on loopback: an SMPP server in Node."""

import fcntl
import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.servers import wait_until

FOLDER = Path(__file__).parent / "smsc"


def _node() -> str:
    """Return node and the folder of the server's package, which the first use installs."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        pytest.skip("the message centre: node and npm are not on this machine")
    with (FOLDER / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the suite runs in several processes
        if not (FOLDER / "node_modules" / "smpp" / "lib").is_dir():
            command = [npm, "ci", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
            done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=240)
            if done.returncode:
                pytest.skip(f"the message centre: it could not be installed ({done.stderr.strip()[-200:]})")
    return program


class MessageCentre:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            [_node(), "centre.js"], cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: self.events)
        self.port = self.events.pop(0)["port"]

    @property
    def url(self) -> str:
        return f"smpp://signalbox:pa%2Css@127.0.0.1:{self.port}"

    @property
    def submitted(self) -> list[dict[str, Any]]:
        return [event for event in list(self.events) if "id" in event]

    def tell(self, **command: object) -> None:
        """Send a command: `receipt`, `text`, `ask` or `drop`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def wait_for(self, name: str, count: int = 1, seconds: float = 20) -> list[dict[str, Any]]:
        """Return the events with this name as soon as there are `count` of them."""
        wait_until(lambda: len(self._named(name)) >= count, seconds)
        return self._named(name)

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in list(self.events) if name in event]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.events.append(json.loads(line))
