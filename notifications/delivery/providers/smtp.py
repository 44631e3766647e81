"""Any mail server: `smtp://`, `smtp+tls://` with STARTTLS, `smtps://` with TLS from the start.

With a password, `smtp://` to another machine uses STARTTLS, so the password is never sent in plain text.
The mail server adds DKIM signatures, which must include the unsubscribe headers.
Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §11, §12.
"""

import contextlib
from typing import Any
from urllib.parse import unquote, urlsplit

from config.outbound.deadline import Deadline
from notifications.delivery.messages import Accepted, OutgoingEmail, TemporaryFailure
from notifications.delivery.providers import connection_errors, mime
from notifications.delivery.providers.per_thread import PerThread
from notifications.delivery.providers.smtp_session import SmtpSession, Stage

READ_SECONDS = 10.0  # of connecting, and of each answer
TOTAL_SECONDS = 25.0  # of one message, even if the server is slow; below the hard limit of a task
SIGN_IN_SECONDS = 10.0  # of a probe, which a request waits for

PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


class Smtp:
    """One mail server. Each thread keeps and reuses one connection."""

    carries: tuple[type[OutgoingEmail], ...] = (OutgoingEmail,)
    sends_receipts = False

    def __init__(
        self, name: str, url: str, *, read_seconds: float = READ_SECONDS, total_seconds: float = TOTAL_SECONDS
    ) -> None:
        """Raise ValueError for an unusable URL. The error leaves out the URL, because it may contain a password."""
        self.name = name
        self._options = _options(url) | {"timeout": read_seconds}
        self._total_seconds = total_seconds
        self._session = PerThread(lambda: SmtpSession(**self._options))

    @property
    def server(self) -> tuple[str, int]:
        return self._options["host"], self._options["port"]

    def sign_in(self) -> str:
        """Open a new connection, sign in if there is a password, and close it. Raises TemporaryFailure."""
        session = SmtpSession(**self._options)
        with Deadline(min(self._total_seconds, SIGN_IN_SECONDS)) as deadline:
            session.open_within(deadline)
            with contextlib.suppress(OSError):  # a server that answers QUIT badly has still accepted the login
                session.close()
        host, port = self.server
        return f"{'Signed in' if self._options['username'] else 'Connected'} to {host}:{port}."

    def send(self, message: OutgoingEmail) -> Accepted:
        """Send one email. Raises TemporaryFailure or PermanentFailure.

        If the server has closed the connection since the last message, open it once more.
        """
        content = mime.write(message)
        session = self._session()
        with Deadline(self._total_seconds) as deadline:
            if session.is_open:
                try:
                    return self._transmit(session, deadline, message, content)
                except TemporaryFailure:
                    if session.is_open or session.stage != Stage.MAIL or deadline.has_passed:
                        raise
            return self._transmit(session, deadline, message, content)

    def _transmit(self, session: SmtpSession, deadline: Deadline, message: OutgoingEmail, content: bytes) -> Accepted:
        session.open_within(deadline)
        try:
            reply = session.transmit(message.envelope_sender or message.from_address, message.to, content)
        except OSError as error:
            session.drop()
            what = f"over {self._total_seconds:g} s" if deadline.has_passed else type(error).__name__
            raise TemporaryFailure(
                f"{what} at {session.stage}",
                reply=connection_errors.sentence(TimeoutError() if deadline.has_passed else error),
                is_uncertain=session.stage == Stage.END,
            ) from error
        return Accepted(reference=message.message_id, reply=reply)


def _options(url: str) -> dict[str, Any]:  # Any: arguments of Django's backend
    parts = urlsplit(url)
    if not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise ValueError("must be such as smtp+tls://user:password@mail.example.org:587")
    is_local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return {
        "host": parts.hostname,
        "port": parts.port or PORTS[parts.scheme],
        "username": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "use_tls": parts.scheme == "smtp+tls" or (parts.scheme == "smtp" and bool(parts.password) and not is_local),
        "use_ssl": parts.scheme == "smtps",
    }
