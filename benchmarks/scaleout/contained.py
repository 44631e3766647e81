"""Run this program again as the first processes of new namespaces, in which everything that it starts ends with it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import NoReturn

_INSIDE = "SIGNALBOX_SCALEOUT_INSIDE"
_NAMESPACES = ("--net", "--mount", "--pid", "--ipc", "--fork", "--mount-proc", "--kill-child")


def enter(*, keep: bool) -> Path:
    """Return the folder of the stand, inside new namespaces of network, mounts, processes and memory.

    The network has no way out. The folder is removed from outside of the namespaces, where it contains no mounts.
    """
    if _INSIDE in os.environ:
        devices = sorted(path.name for path in Path("/sys/class/net").iterdir()) if _own_sys() else []
        if devices != ["lo"]:
            sys.exit(f"The new network has {devices}, not lo alone. Nothing was started.")
        _reap_from_a_parent()
        return Path(os.environ[_INSIDE])
    if os.geteuid() != 0:
        sys.exit("Run it as root: it creates network namespaces and mounts.")
    folder = Path(tempfile.mkdtemp(prefix="signalbox-scaleout-"))
    folder.chmod(0o755)  # the servers run as other users
    command = ["unshare", *_NAMESPACES, sys.executable, "-m", "benchmarks.scaleout", *sys.argv[1:]]
    code = subprocess.run(command, env={**os.environ, _INSIDE: str(folder)}, check=False).returncode
    if code == 0 and not keep and str(folder) not in Path("/proc/self/mountinfo").read_text():
        shutil.rmtree(folder)
    sys.exit(code)


def _own_sys() -> bool:
    """Mount the view of /sys that belongs to this network."""
    return subprocess.run(["mount", "-t", "sysfs", "sysfs", "/sys"], check=False).returncode == 0


def _reap_from_a_parent() -> None:
    """Fork. The parent, process 1 of the namespace, collects orphans; a zombie would look like a running server."""
    child = os.fork()
    if child == 0:
        return

    def stop(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child gets it from the terminal
    _wait_for(child)


def _wait_for(child: int) -> NoReturn:
    while True:
        pid, status = os.wait()
        if pid == child:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
