"""A machine of the stand: a network address, and its own copy of the Debian root file system."""

import contextlib
import os
import signal
import stat
import subprocess
from pathlib import Path

from benchmarks.scaleout.network import NETWORK, Network
from tests.servers import Program, wait_until

_SERVERS = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp"}  # noqa: S108  in the root

_DEVICES = {"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9}


class Machine:
    """The servers of Debian run in `root`; Signalbox runs beside it with the same network."""

    def __init__(self, name: str, number: int, *, debian: Path, folder: Path, network: Network) -> None:
        self.name, self.address, self._network = name, f"{NETWORK}{number}", network
        self.folder = folder
        self.root = _overlay(debian, folder / name)
        network.add(name, self.address)

    def write(self, path: str, text: str, *, owner: str = "root", mode: int = 0o644) -> None:
        """Write a file of the machine. owner: an account of Debian."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        self.own(path, owner)

    def own(self, path: str, owner: str) -> None:
        self.run("chown", f"{owner}:{owner}", path)

    def command(self, *words: str, user: str = "root") -> list[str]:
        """Return a command that runs inside the root file system and the network."""
        return [*self._network.inside(self.name), "chroot", f"--userspec={user}:{user}", str(self.root), *words]

    def beside(self, *words: str | Path) -> list[str | Path]:
        """Return a command of this system that runs in the machine's network."""
        return [*self._network.inside(self.name), *words]

    def run(self, *words: str, user: str = "root", input: str | None = None) -> str:
        """Return the output of a command that must succeed."""
        done = subprocess.run(
            self.command(*words, user=user), input=input, capture_output=True, text=True, timeout=120, env=_SERVERS
        )
        if done.returncode:
            raise RuntimeError(f"{self.name}: {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self, name: str, *words: str, user: str = "root") -> Program:
        """Start a server. Its processes form one group, which `Program.kill` kills."""
        return Program(*self.command(*words, user=user), log=self._log(name), folder=Path("/"), environment=_SERVERS)

    def start_beside(self, name: str, *words: str | Path, environment: dict[str, str], folder: Path) -> Program:
        """Start a program of this system, not of Debian's root, in the machine's network."""
        return Program(*self.beside(*words), log=self._log(name), folder=folder, environment=environment)

    def power_off(self) -> None:
        """Kill every process of the machine (-9)."""

        def kill() -> bool:
            pids = self._network.processes(self.name)
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not pids

        wait_until(kill, 20)

    def cut_off(self) -> None:
        self._network.cut_off(self.name)

    def rejoin(self) -> None:
        self._network.rejoin(self.name)

    def cut_off_from(self, *others: "Machine") -> None:
        self._network.lose_packets(self.name, *(other.address for other in others))

    def rejoin_with(self, *others: "Machine") -> None:
        self._network.find_again(self.name, *(other.address for other in others))

    def _log(self, name: str) -> Path:
        return self.folder / f"{self.name}-{name}.log"


def _overlay(debian: Path, folder: Path) -> Path:
    """Mount the root file system with changes in a separate folder, and the kernel's file systems."""
    for part in ("changes", "work", "root"):
        (folder / part).mkdir(parents=True)
    root = folder / "root"
    options = f"lowerdir={debian},upperdir={folder / 'changes'},workdir={folder / 'work'}"
    for words in (
        ("-t", "overlay", "overlay", "-o", options, str(root)),
        ("-t", "proc", "proc", str(root / "proc")),
        ("-t", "tmpfs", "tmpfs", str(root / "dev"), "-o", "mode=0755"),
        ("-t", "tmpfs", "tmpfs", str(root / "run")),
        ("-t", "tmpfs", "tmpfs", str(root / "tmp"), "-o", "mode=1777"),
    ):
        subprocess.run(["mount", *words], check=True)
    for name, number in _DEVICES.items():
        os.mknod(root / "dev" / name, stat.S_IFCHR | 0o666, os.makedev(1, number))
        (root / "dev" / name).chmod(0o666)
    (root / "dev/shm").mkdir(mode=0o1777)
    (root / "dev/shm").chmod(0o1777)
    return root
