"""A scripted HTTP gateway for texts on a real socket: answers, errors, or silence."""

import contextlib
import json
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.listener import Listener

GOOD = 'HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{"reference":"m-1"}'


@dataclass
class Request:
    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class ScriptedGateway(Listener):
    """Answers requests by `script`, the last entry again and again.

    An entry is the answer's text, None to say nothing, "reset" to reset the connection, or a function that is given the
    socket.
    """

    def __init__(self, script: list[str | Callable[[socket.socket], None] | None] | None = None) -> None:
        self.script = [GOOD] if script is None else script
        self.requests: list[Request] = []
        super().__init__()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def converse(self, peer: socket.socket) -> None:
        with peer.makefile("rb") as stream:
            while line := stream.readline().decode().strip():
                pairs = (header.decode().partition(":") for header in iter(stream.readline, b"\r\n"))
                headers = {name.lower(): value.strip() for name, _, value in pairs}
                body = stream.read(int(headers.get("content-length", 0)))
                self.requests.append(Request(line, headers, body))
                answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                if answer is None:
                    self.closing.wait(30)
                    return
                if answer == "reset":
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                if callable(answer):
                    answer(peer)
                    return
                peer.sendall(answer.encode())


def answer(status: str, body: str = "", **headers: str) -> str:
    """Return the bytes of an answer. Header names are written with underscores."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, f"Content-Length: {len(body.encode())}", "", body])


def drip(peer: socket.socket) -> None:
    """Send headers that never end, byte by byte."""
    with contextlib.suppress(OSError):
        peer.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
        while True:
            peer.sendall(b"x")
            time.sleep(0.05)


def pour(megabytes: int) -> Callable[[socket.socket], None]:
    """Return a function that sends a success of some megabytes. Its attribute `sent`: the bytes that were accepted."""

    def send(peer: socket.socket) -> None:
        block = b" " * 65536
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (megabytes * 1024 * 1024))
        with contextlib.suppress(OSError):
            for _ in range(megabytes * 16):
                peer.sendall(block)

    return send
