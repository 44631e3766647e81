"""HAProxy on every machine that needs it, and PgBouncer beside the processes of Signalbox."""

import contextlib
import signal
import socket
import subprocess
from pathlib import Path

from benchmarks.scaleout.configuration import deployed
from benchmarks.scaleout.machine import Machine
from tests.servers import Program

HOST = "signalbox.example.org"
SETTLE_SECONDS = 9  # HAProxy uses a web process again after eight checks


def make_certificate(folder: Path) -> str:
    """Return a key and a certificate for the host name in one text, as HAProxy reads them."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    names = ("-subj", f"/CN={HOST}", "-keyout", str(key), "-out", str(certificate))
    subprocess.run([*made, *names], check=True, capture_output=True)
    return certificate.read_text() + key.read_text()


def start_haproxy(machine: Machine, certificate: str) -> Program:
    machine.write("/etc/haproxy/haproxy.cfg", deployed("haproxy/haproxy.cfg"))
    machine.write("/etc/haproxy/signalbox.pem", certificate, mode=0o600)
    haproxy = machine.start("haproxy", "haproxy", "-db", "-f", "/etc/haproxy/haproxy.cfg")
    haproxy.wait_until(lambda: accepts(machine.address, 443))
    return haproxy


class Pooler:
    """PgBouncer on one machine."""

    def __init__(self, machine: Machine, user_list: str) -> None:
        self.machine = machine
        machine.write("/etc/pgbouncer/pgbouncer.ini", deployed("postgresql/pgbouncer.ini"), owner="postgres")
        machine.write("/etc/pgbouncer/userlist.txt", user_list, owner="postgres", mode=0o640)
        self._start()

    def restart(self) -> None:
        """Restart it like `systemctl restart pgbouncer`, which sends SIGINT."""
        self._program.process.send_signal(signal.SIGINT)
        self._program.process.wait(30)
        self._start()

    def _start(self) -> None:
        command = ("pgbouncer", "/etc/pgbouncer/pgbouncer.ini")
        self._program = self.machine.start("pgbouncer", *command, user="postgres")


def accepts(address: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, port), 0.5):
        return True
    return False
