"""Fetch emails from a mailbox by IMAP. Source: RFC 3501; RFC 4315; docs/reference/inbox.md §5.

An email is marked only after it is stored, and each email is marked before the next one is fetched. So a failure loses
nothing, and at most one email is taken in twice, which changes nothing.
"""

import imaplib
import ssl
import time
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import unquote

import structlog
from django.db import DatabaseError

from notifications.delivery.providers.provider_url import ProviderUrl
from notifications.delivery.returned_emails import mailbox
from notifications.delivery.returned_emails.mailbox import Taken
from notifications.delivery.returned_emails.reading.limits import MOST_BYTES, TOO_LARGE

TIMEOUT_SECONDS = 15.0  # of each wait for the server
MOST_AT_ONCE = 100  # emails in one run; the next run follows a minute later
MOST_SECONDS = 120.0  # of one run; the last email may take 60 s more; the task ends after 240 s
_STAYS = frozenset({Taken.IGNORED, Taken.KEPT, Taken.REFUSED})
_KEPT_FLAG = r"(\Flagged)"
_STORED_FLAGS = r"(\Deleted)"
_SCHEMES = {"imaps": 993, "imap+tls": 143, "imap": 143}

log = structlog.get_logger()


class MailboxAway(Exception):
    """The server cannot be reached, or refuses the login or a command. The text has no password."""


class CommandRefused(MailboxAway):
    """The server answers a command with a refusal. If one email is the cause, the others can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """One folder on an IMAP server: `imaps://user:password@host:port/INBOX`."""

    host: str
    port: int
    scheme: str
    user: str
    password: str
    folder: str

    @classmethod
    def parse(cls, url: str) -> Self:
        """Raise ValueError, without the URL in its text, because that contains the password."""
        parsed = ProviderUrl.parse(url, known=())
        if parsed.scheme not in _SCHEMES or not parsed.host or not parsed.user or not parsed.password:
            raise ValueError("must be such as imaps://user:password@host/INBOX")
        if parsed.scheme == "imap" and not parsed.is_local:
            raise ValueError("must begin with imaps:// or imap+tls://: imap:// is for this machine only")
        return cls(
            host=parsed.host,
            port=parsed.port or _SCHEMES[parsed.scheme],
            scheme=parsed.scheme,
            user=parsed.user,
            password=parsed.password,
            folder=_folder(unquote(parsed.path.strip("/"))),
        )

    @property
    def title(self) -> str:
        return f"{self.folder} on {self.host}"

    def check(self, *, timeout_seconds: float) -> None:
        """Sign in and open the folder. Raises MailboxAway."""
        with _Session(self, timeout_seconds):
            pass

    def fetch(self) -> dict[Taken, int]:
        """Take in the waiting emails and return how many became what. Raises MailboxAway and DatabaseError."""
        taken: dict[Taken, int] = {}
        until = time.monotonic() + MOST_SECONDS
        with _Session(self, TIMEOUT_SECONDS) as session:
            for uid in session.waiting():
                if sum(taken.values()) == MOST_AT_ONCE or time.monotonic() > until:
                    break
                try:
                    data = session.read(uid)
                except CommandRefused as error:  # it waits for the next run
                    log.warning("mailbox.not_returned", error=str(error))
                    continue
                outcome = _take_in(data)
                taken[outcome] = taken.get(outcome, 0) + 1
                session.mark(uid, stays=outcome in _STAYS)
        return taken


def _folder(name: str) -> str:
    if not name.isascii() or not name.isprintable() or '"' in name or "\\" in name:
        raise ValueError("must name the folder in ASCII, without quotation marks and backslashes")
    return name or "INBOX"


def _take_in(data: bytes | None) -> Taken:
    """Take in one email. One that cannot be read stays in the mailbox, marked, and must not stop the others."""
    if data is None:
        log.warning("mailbox.refused", reason=TOO_LARGE)
        return Taken.REFUSED
    try:
        return mailbox.take_in(data)
    except (DatabaseError, OSError):
        raise
    except Exception as error:  # noqa: BLE001  an error of ours; the email stays in the mailbox
        log.error("mailbox.not_readable", error=type(error).__name__)
        return Taken.REFUSED


class _Session:
    """A connection with an open folder."""

    def __init__(self, folder: Mailbox, timeout_seconds: float) -> None:
        self._folder, self._timeout_seconds = folder, timeout_seconds

    def __enter__(self) -> Self:
        try:
            self._server = self._connected()
            self._call("login", self._folder.user, self._folder.password)
            self._knows_uids = b"UIDPLUS" in b" ".join(self._call("capability")).upper()  # may change with the login
            self._call("select", f'"{self._folder.folder}"')
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._leave()

    def waiting(self) -> list[bytes]:
        """Return the UIDs of the emails without a mark, the oldest first."""
        found = self._call("uid", "SEARCH", "UNDELETED", "UNFLAGGED")
        return found[0].split() if found and isinstance(found[0], bytes) else []

    def read(self, uid: bytes) -> bytes | None:
        """Return an email, or None if it is too large. Nothing is marked as read."""
        size = self._call("uid", "FETCH", uid.decode(), "(RFC822.SIZE)")
        digits = b"".join(part for part in size if isinstance(part, bytes)).rpartition(b"RFC822.SIZE ")[2]
        number = digits.split(b")")[0].split()[0] if digits.strip() else b""
        if number.isdigit() and int(number) > MOST_BYTES:
            return None
        for part in self._call("uid", "FETCH", uid.decode(), "(BODY.PEEK[])"):
            if isinstance(part, tuple):
                return bytes(part[1])
        raise CommandRefused("the server returned no email")

    def mark(self, uid: bytes, *, stays: bool) -> None:
        """Delete an email that is stored, or flag one that stays, so that no later run reads it again."""
        flags = _KEPT_FLAG if stays else _STORED_FLAGS
        self._call("uid", "STORE", uid.decode(), "+FLAGS.SILENT", flags)
        if stays:
            return
        if self._knows_uids:
            self._call("uid", "EXPUNGE", uid.decode())
        else:
            self._call("expunge")

    def _connected(self) -> imaplib.IMAP4:
        host, port, timeout = self._folder.host, self._folder.port, self._timeout_seconds
        context = ssl.create_default_context()
        try:
            if self._folder.scheme == "imaps":
                return imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=timeout)
            server = imaplib.IMAP4(host, port, timeout=timeout)
            if self._folder.scheme == "imap+tls":
                server.starttls(context)
        except (OSError, imaplib.IMAP4.error) as error:
            raise MailboxAway(f"no connection to {host}: {type(error).__name__}") from error
        return server

    def _call(self, command: str, *arguments: str) -> list[Any]:  # Any: bytes, or pairs of bytes
        """Return the data of a command. Raises MailboxAway. The text of the server may repeat the login."""
        try:
            kind, data = getattr(self._server, command)(*arguments)
        except (OSError, imaplib.IMAP4.error) as error:
            name = arguments[0] if command == "uid" else command
            raise MailboxAway(f"{name.upper()} failed: {type(error).__name__}") from error
        if kind != "OK":
            raise CommandRefused(f"{command.upper()} was refused")
        return list(data)

    def _leave(self) -> None:
        server = getattr(self, "_server", None)
        if server is None:
            return
        try:
            server.logout()
        except (OSError, imaplib.IMAP4.error):
            server.shutdown()
