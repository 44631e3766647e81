"""HTTP servers on loopback that receive callbacks, and some that misbehave."""

import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.listener import Listener
from tests.servers import wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Return the `answers` in turn and repeat the last one. Keep all requests.

    location: the redirect target of every answer; certificate: the file of a certificate and its key, for https
    """

    def __init__(
        self, *answers: int, location: str | None = None, reply: bytes = b"thanks", certificate: Path | None = None
    ) -> None:
        self.answers = list(answers) or [200]
        self.posted: list[Posted] = []
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver._take(Posted(path=self.path, headers=dict(self.headers), body=body))
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *arguments: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/callback"
        threading.Thread(target=self._server.serve_forever, args=[0.05], daemon=True).start()

    def wait_for(self, count: int, seconds: float = 20) -> list[Posted]:
        wait_until(lambda: len(self.posted) >= count, seconds)
        return list(self.posted)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _take(self, posted: Posted) -> int:
        with self._lock:
            self.posted.append(posted)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class RawServer(Listener):
    """Handle each connection with the given function."""

    def __init__(self, converse: Callable[[socket.socket, threading.Event], None]) -> None:
        self._converse = converse
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}/callback"

    def converse(self, peer: socket.socket) -> None:
        self._converse(peer, self.closing)


def drip(peer: socket.socket, closing: threading.Event) -> None:
    """Send the head of an answer byte by byte, so that no single read times out."""
    peer.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not closing.wait(0.05):
        peer.sendall(b"x")


def stay_silent(peer: socket.socket, closing: threading.Event) -> None:
    closing.wait(30)


def write_certificate(file: Path, names: Sequence[str]) -> None:
    """Write a temporary self-signed certificate for these names, and its key."""
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, private.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    key = private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + key)
