"""The S3 server and clamd, which only messages with files need."""

import sys
from pathlib import Path

import requests

from benchmarks.scaleout.machine import Machine
from benchmarks.scaleout.network import NETWORK, OWN
from benchmarks.scaleout.proxies import accepts
from tests.notifications.attachments.s3_store import BUCKET, CREDENTIALS
from tests.notifications.attachments.samples import EICAR
from tests.notifications.attachments.scanners import clamd_program
from tests.servers import ROOT, Program

S3_NUMBER, S3_PORT = 51, 9000
SCANNER_PORT = 3310
_URL = f"http://{NETWORK}{S3_NUMBER}:{S3_PORT}"
_SERVE = "import sys; from moto.server import main; main(sys.argv[1:])"
_LOCATION = "<CreateBucketConfiguration><LocationConstraint>eu-west-2</LocationConstraint></CreateBucketConfiguration>"

VARIABLES = {
    **CREDENTIALS,
    "FILES_STORAGE": "s3",
    "FILES_S3_BUCKET": BUCKET,
    "FILES_S3_ENDPOINT": _URL,
    "FILES_S3_REGION": "eu-west-2",
    "FILES_S3_ADDRESSING": "path",
    "SCANNER": f"clamd:tcp:{OWN}:{SCANNER_PORT}",
}


class S3Server:
    """moto's server. It stores objects in memory, so after a kill it starts with an empty bucket."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.start()

    def start(self) -> None:
        command = (sys.executable, "-c", _SERVE, "-H", self._machine.address, "-p", str(S3_PORT))
        self._program = self._machine.start_beside("s3", *command, environment=CREDENTIALS, folder=ROOT)
        self._program.wait_until(lambda: accepts(self._machine.address, S3_PORT))
        requests.put(f"{_URL}/{BUCKET}", data=_LOCATION, timeout=30).raise_for_status()

    def kill(self) -> None:
        self._program.kill()


def start_scanner(folder: Path) -> Program:
    """Start clamd with the settings of `deploy` and a single signature, of the harmless test string."""
    program = clamd_program()
    if program is None:
        raise FileNotFoundError("clamd")
    (folder / "signatures").mkdir()
    (folder / "signatures/signalbox.ndb").write_text(f"Signalbox.Eicar:0:*:{EICAR.hex()}\n")
    ours = {"DatabaseDirectory": str(folder / "signatures"), "TCPAddr": OWN, "TCPSocket": str(SCANNER_PORT)}
    left_out = {"User", "LocalSocket", "LocalSocketMode"}
    lines = []
    for line in (ROOT / "deploy/clamav/clamd.conf").read_text().splitlines():
        name = line.partition(" ")[0]
        if name not in left_out:
            lines.append(f"{name} {ours[name]}" if name in ours else line)
    (folder / "clamd.conf").write_text("\n".join(lines) + "\n")
    scanner = Program(program, "-c", str(folder / "clamd.conf"), log=folder / "clamd.log", folder=Path("/"))
    scanner.wait_until(lambda: accepts(OWN, SCANNER_PORT))
    return scanner
