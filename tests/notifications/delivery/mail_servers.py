"""Faulty mail servers on real sockets. Each speaks just enough SMTP for one fault."""

import contextlib
import socket
import time
from collections.abc import Callable

from tests.listener import Listener


class ScriptedServer(Listener):
    """Answers each command by `answers`: a line, None to say nothing more, or "" to close the connection.

    Commands are the first words MAIL, RCPT, DATA, RSET, EHLO; beside them BANNER, and CONTENT for what follows DATA.
    What is not scripted is answered as a good server would.
    """

    USUAL = {
        "BANNER": "220 here", "EHLO": "250 here", "MAIL": "250 fine", "RCPT": "250 fine", "DATA": "354 go on",
        "CONTENT": "250 taken", "RSET": "250 fine", "QUIT": "221 bye",
    }  # fmt: skip

    def __init__(self, **answers: str | None) -> None:
        self.answers: dict[str, str | None] = {**self.USUAL, **answers}
        self.lines: list[bytes] = []
        self.contents: list[bytes] = []
        super().__init__()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def converse(self, peer: socket.socket) -> None:
        with peer.makefile("rb") as lines:
            if not self._answer(peer, "BANNER"):
                return
            for line in lines:
                self.lines.append(line)
                command = line[:4].decode().upper()
                if not self._answer(peer, command):
                    return
                if command == "DATA" and (self.answers["DATA"] or "").startswith("354"):
                    content = b"".join(iter(lines.readline, b".\r\n"))
                    self.contents.append(content)
                    if not self._answer(peer, "CONTENT"):
                        return

    def _answer(self, peer: socket.socket, command: str) -> bool:
        answer = self.answers.get(command, "502 what")
        if answer is None:
            self.closing.wait(30)
            return False
        if answer == "":
            return False
        self._say(peer, answer)
        return not answer.startswith("421")

    def _say(self, peer: socket.socket, answer: str) -> None:
        peer.sendall(f"{answer}\r\n".encode())


class DrippingServer(ScriptedServer):
    """Send the banner byte by byte, so that no single read times out."""

    def _say(self, peer: socket.socket, answer: str) -> None:
        while not self.closing.is_set():
            peer.sendall(b"2")
            time.sleep(0.05)


def elapsed(action: Callable[[], object]) -> float:
    """Return the seconds that the action took, even if it raised."""
    started = time.monotonic()
    with contextlib.suppress(Exception):
        action()
    return time.monotonic() - started
