"""A small IMAP server in the test process, with the commands that Signalbox uses (RFC 3501, RFC 4315).

There is no small and maintained IMAP server on PyPI, and Dovecot would add a minute to the set-up of CI.
"""

import re
import socketserver
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, Self

USER, PASSWORD = "signalbox", 'p"s/w'


@dataclass
class StoredEmail:
    data: bytes
    flags: set[str] = field(default_factory=set)
    size_bytes: int = 0  # if set, the server reports this size


class ImapServer:
    """emails: by UID; commands: as they arrived; fail_at: the connection ends at the first command with these words

    broken: UIDs of emails that the server cannot return
    """

    def __init__(self, *, certificate: Path | None = None, uidplus: bool = True) -> None:
        self.emails: dict[int, StoredEmail] = {}
        self.commands: list[str] = []
        self.fail_at = ""
        self.broken: set[int] = set()
        self.uidplus = uidplus
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if certificate else None
        if self._context and certificate:
            self._context.load_cert_chain(certificate)
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def setup(self) -> None:
                if server._context:
                    self.request = server._context.wrap_socket(self.request, server_side=True)
                super().setup()

            def handle(self) -> None:
                server._talk(self.rfile, self.wfile)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address = True, True

            def handle_error(self, *args: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def url(self, scheme: str = "imap", host: str = "127.0.0.1", password: str = "p%22s%2Fw") -> str:
        return f"{scheme}://{USER}:{password}@{host}:{self.port}/INBOX"

    def put(self, data: bytes, *flags: str) -> int:
        uid = max(self.emails, default=100) + 1
        self.emails[uid] = StoredEmail(data, set(flags))
        return uid

    def _talk(self, lines: Any, out: Any) -> None:
        out.write(b"* OK ready\r\n")
        for line in lines:
            tag, _, command = line.decode().strip().partition(" ")
            self.commands.append(command)
            if self.fail_at and self.fail_at in command:
                self.fail_at = ""
                return
            answer = self._answer(command)
            out.write(answer + f"{tag} OK done\r\n".encode() if answer is not None else f"{tag} NO no\r\n".encode())
            if command == "LOGOUT":
                return

    def _answer(self, command: str) -> bytes | None:
        if command == "CAPABILITY":
            return b"* CAPABILITY IMAP4rev1%s\r\n" % (b" UIDPLUS" if self.uidplus else b"")
        if command.startswith("LOGIN "):
            return b"" if command == f'LOGIN {USER} "{PASSWORD.replace(chr(34), chr(92) + chr(34))}"' else None
        if command == 'SELECT "INBOX"':
            return b"* %d EXISTS\r\n" % len(self.emails)
        if command == "UID SEARCH UNDELETED UNFLAGGED":
            marks = {"\\Deleted", "\\Flagged"}
            uids = [str(uid) for uid, email in self.emails.items() if not email.flags & marks]
            return f"* SEARCH {' '.join(uids)}\r\n".encode()
        if found := re.fullmatch(r"UID FETCH (\d+) \((RFC822\.SIZE|BODY\.PEEK\[\])\)", command):
            return self._fetched(int(found[1]), found[2])
        if found := re.fullmatch(r"UID STORE (\d+) \+FLAGS\.SILENT \((.*)\)", command):
            self.emails[int(found[1])].flags.add(found[2])
            return b""
        if command == "EXPUNGE" or (self.uidplus and command.startswith("UID EXPUNGE ")):
            only = command.removeprefix("UID EXPUNGE ")
            for uid in [uid for uid, email in self.emails.items() if "\\Deleted" in email.flags]:
                if only in {"EXPUNGE", str(uid)}:
                    del self.emails[uid]
            return b""
        return b"* BYE\r\n" if command == "LOGOUT" else None

    def _fetched(self, uid: int, what: str) -> bytes | None:
        if uid in self.broken:
            return None
        email = self.emails[uid]
        data = email.data
        if what == "RFC822.SIZE":
            return b"* 1 FETCH (UID %d RFC822.SIZE %d)\r\n" % (uid, email.size_bytes or len(data))
        return b"* 1 FETCH (UID %d BODY[] {%d}\r\n" % (uid, len(data)) + data + b")\r\n"
