"""One connection to a mail server, which sends messages stage by stage.

Django's email backend opens the connection (TLS, login). Its `send_messages` hides the stage of a failure, but
the stage decides whether the failure is temporary, permanent or uncertain.
Source: docs/reference/security.md §11.
"""

import contextlib
import re
import smtplib
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any

from django.core.mail.backends.smtp import EmailBackend

from config.outbound.deadline import Deadline
from notifications.delivery.messages import PermanentFailure, TemporaryFailure
from notifications.delivery.providers import connection_errors
from notifications.models.failure_reason import AFTER_CONTENT

_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)
_MOST_WORDS = 450  # of a server's reply; the message stores little more
_CLOSING = 421  # "service not available, closing transmission channel", RFC 5321 §4.2.3


class Stage(StrEnum):
    MAIL = "MAIL"
    RCPT = "RCPT"
    DATA = "DATA"
    CONTENT = "the content"
    END = "the final dot"


Watch = Callable[[smtplib.SMTP], None]


class _WatchedSmtp(smtplib.SMTP):
    """A client under a deadline before it connects, because a server may send its banner without end."""

    def __init__(self, *arguments: Any, watch: Watch, **options: Any) -> None:  # Any: smtplib's signature
        watch(self)
        super().__init__(*arguments, **options)


class _WatchedSmtpSsl(smtplib.SMTP_SSL):
    def __init__(self, *arguments: Any, watch: Watch, **options: Any) -> None:  # Any: smtplib's signature
        watch(self)
        super().__init__(*arguments, **options)


class SmtpSession(EmailBackend):
    """A connection that stays open for many messages."""

    def __init__(self, **options: Any) -> None:  # Any: the signature of Django's backend
        super().__init__(**options)
        self._watch: Watch = lambda connection: None
        self.stage = Stage.MAIL

    @property
    def connection_class(self) -> Any:  # Any: Django wants something to call, the stubs a class
        return partial(_WatchedSmtpSsl if self.use_ssl else _WatchedSmtp, watch=self._watch)

    @property
    def is_open(self) -> bool:
        return self.connection is not None

    def open_within(self, deadline: Deadline) -> None:
        """Open the connection where it is not. Raises TemporaryFailure."""
        self._watch = deadline.watch
        if self.connection is not None:
            deadline.watch(self.connection)
            return
        try:
            self.open()
            self._smtp.ehlo_or_helo_if_needed()
        except smtplib.SMTPAuthenticationError as error:
            self.drop()
            reason = f"{error.smtp_code} at log-in"
            raise TemporaryFailure(reason, reply=_text(error.smtp_error), opens_circuit=True) from error
        except OSError as error:
            self.drop()
            has_sentence = isinstance(error, smtplib.SMTPNotSupportedError)
            words = str(error) if has_sentence else connection_errors.sentence(error)
            raise TemporaryFailure(f"cannot connect: {type(error).__name__}", reply=words) from error

    def transmit(self, sender: str, recipient: str, content: bytes) -> str:
        """Send one message and return the server's last reply.

        Raises a DeliveryFailure for a rejection and OSError for a broken connection. `stage` holds the stage of it.
        """
        if self._smtp.has_extn("pipelining"):
            self._announce_pipelined(sender, recipient)
        else:
            self._announce(sender, recipient)
        smtp = self._smtp
        self.stage = Stage.CONTENT
        smtp.send(_LEADING_DOT.sub(b"..", content) + b".\r\n")
        self.stage = Stage.END
        code, reply = smtp.getreply()
        self._expect("25", code, reply)
        return f"{code} {_text(reply)}"

    def _announce(self, sender: str, recipient: str) -> None:
        smtp = self._smtp
        self.stage = Stage.MAIL
        self._expect("25", *smtp.mail(sender))
        self.stage = Stage.RCPT
        self._expect("25", *smtp.rcpt(recipient))
        self.stage = Stage.DATA
        self._expect("354", *smtp.docmd("DATA"))

    def _announce_pipelined(self, sender: str, recipient: str) -> None:
        """Send three commands before reading the three replies: two round trips instead of four.

        If the server rejects one command, it should reject DATA, too. If it expects content, send an empty message: the
        server discards it, because it has no recipient. Source: RFC 2920 §3.1.
        """
        smtp = self._smtp
        self.stage = Stage.MAIL
        email_addresses = smtplib.quoteaddr(sender), smtplib.quoteaddr(recipient)
        if any("\r" in one or "\n" in one for one in email_addresses):
            raise ValueError("an address has several lines")  # as in smtplib: a line break would start another command
        smtp.send("MAIL FROM:{}\r\nRCPT TO:{}\r\nDATA\r\n".format(*email_addresses))
        answers = []
        for stage, start in ((Stage.MAIL, "25"), (Stage.RCPT, "25"), (Stage.DATA, "354")):
            self.stage = stage
            code, reply = smtp.getreply()
            if code == _CLOSING:
                self._expect(start, code, reply)
            answers.append((stage, start, code, reply))
        refused = next((each for each in answers if not str(each[2]).startswith(each[1])), None)
        if refused is None:
            return
        if str(answers[-1][2]).startswith("354"):
            smtp.send(b".\r\n")
            smtp.getreply()
        self.stage, start, code, reply = refused
        self._expect(start, code, reply)

    def drop(self) -> None:
        """Close the connection without QUIT."""
        if self.connection is not None:
            with contextlib.suppress(OSError):
                self.connection.close()
        self.connection = None

    @property
    def _smtp(self) -> smtplib.SMTP:
        if self.connection is None:
            raise smtplib.SMTPServerDisconnected("no connection")
        return self.connection

    def _expect(self, start: str, code: int, reply: bytes) -> None:
        """Raise a DeliveryFailure unless the code starts with `start`. Prepare the connection for the next message."""
        if str(code).startswith(start):
            return
        if code == _CLOSING:
            self.drop()
        elif self.stage in (Stage.RCPT, Stage.DATA):
            with contextlib.suppress(OSError):
                self._smtp.rset()
        reason, words = f"{code} at {self.stage}", f"{code} {_text(reply)}"
        if 500 <= code <= 599:
            if self.stage == Stage.END:
                words = words[:_MOST_WORDS] + AFTER_CONTENT
            raise PermanentFailure(reason, reply=words, is_recipients=self.stage in (Stage.RCPT, Stage.END))
        raise TemporaryFailure(reason, reply=words)


def _text(reply: bytes | str) -> str:
    return reply.decode(errors="replace") if isinstance(reply, bytes) else reply
