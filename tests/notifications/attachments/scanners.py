"""Virus scanners on real sockets: a scripted clamd, and the real one if it is installed."""

import contextlib
import shutil
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from tests.listener import Listener
from tests.notifications.attachments.samples import EICAR
from tests.servers import Program, accepts, free_port

Answer = Callable[[socket.socket, bytes], None]  # gets the connection and the bytes of the file


def saying(answer: bytes) -> Answer:
    return lambda connection, data: connection.sendall(answer)


class FakeClamd(Listener):
    """Speak INSTREAM like clamd and answer with the test's function. `files`: the received files."""

    def __init__(self, answer: Answer, *, reads: bool = True) -> None:
        self.answer = answer
        self.reads = reads
        self.files: list[bytes] = []
        super().__init__()

    @property
    def scanner(self) -> str:
        return f"clamd:tcp:127.0.0.1:{self.port}"

    def converse(self, peer: socket.socket) -> None:
        data = read_stream(peer.makefile("rb")) if self.reads else b""
        self.files.append(data)
        self.answer(peer, data)


def read_stream(stream: BinaryIO) -> bytes:
    """Read one INSTREAM command and its file."""
    assert stream.read(len(b"zINSTREAM\0")) == b"zINSTREAM\0"
    data = b""
    while size := int.from_bytes(stream.read(4), "big"):
        assert size <= 64 * 1024
        data += stream.read(size)
    return data


def clamd_program() -> str | None:
    return shutil.which("clamd") or shutil.which("clamd", path="/usr/sbin")


class RealClamd:
    """clamd with a single signature, of the harmless test string. It is ready in a second and needs no network."""

    def __init__(self, *, tcp: bool = False) -> None:
        program = clamd_program()
        if program is None:
            raise FileNotFoundError("clamd")
        self.folder = Path(tempfile.mkdtemp(prefix="signalbox-clamd-"))
        (self.folder / "db").mkdir()
        (self.folder / "db" / "signalbox.ndb").write_text(f"Signalbox.Eicar:0:*:{EICAR.hex()}\n")
        self.socket = self.folder / "clamd.sock"
        self.port = free_port()
        listening = f"TCPSocket {self.port}\nTCPAddr 127.0.0.1" if tcp else f"LocalSocket {self.socket}"
        self.scanner = f"clamd:tcp:127.0.0.1:{self.port}" if tcp else f"clamd:unix:{self.socket}"
        self._configuration = self.folder / "clamd.conf"
        self._configuration.write_text(
            f"DatabaseDirectory {self.folder}/db\n{listening}\nPidFile {self.folder}/clamd.pid\n"
            f"TemporaryDirectory {self.folder}\nForeground yes\nSelfCheck 0\nFixStaleSocket yes\n"
            "StreamMaxLength 4M\nMaxThreads 4\nReadTimeout 10\nCommandReadTimeout 5\nMaxScanSize 40M\nMaxFileSize 20M\n"
            "MaxFiles 500\nMaxRecursion 6\nMaxScanTime 10000\nAlertEncrypted yes\nAlertOLE2Macros yes\n"
            "AlertExceedsMax yes\n"
        )
        self._is_tcp = tcp
        self._command = (program, "-c", str(self._configuration))
        self.start()

    def start(self) -> None:
        self.program = Program(*self._command, log=self.folder / "clamd.log")
        self.program.wait_until(lambda: accepts(self.port) if self._is_tcp else self._answers())

    def stop(self) -> None:
        self.program.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            return True
        return False
