"""A persistent bind to a message centre. Senders wait here for answers, which a second thread reads.

Source: SMPP 3.4 §2.2, §2.7 (windows), §7.2 (timers); docs/reference/security.md §12.
docs/framework-internals.md lists the private attributes of smpplib that this module uses.
"""

import contextlib
import logging
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import structlog
from smpplib import consts, exceptions, smpp
from smpplib.client import Client

from config.outbound.deadline import Deadline

CONNECT_SECONDS = 5.0
READ_SECONDS = 10.0
OPEN_SECONDS = 15.0  # of connecting and binding, even if the other side is slow
QUIET_SECONDS = 30.0  # without traffic; then an enquire_link checks the connection
LARGEST_PDU = 64 * 1024
BROKEN = (exceptions.ConnectionError, exceptions.PDUError, exceptions.UnknownCommandError, OSError, struct.error,
          IndexError, TypeError, ValueError)  # fmt: skip  # smpplib raises the last ones for an invalid PDU

_REJECTED_LOGIN = {consts.SMPP_ESME_RBINDFAIL, consts.SMPP_ESME_RINVPASWD, consts.SMPP_ESME_RINVSYSID}

log = structlog.get_logger()

_silent = logging.getLogger("notifications.smpp")  # smpplib logs whole messages in hexadecimal
_silent.disabled = True


class BindFailed(Exception):
    """The message centre rejected the bind. is_login: because of the system_id or password."""

    def __init__(self, status: int) -> None:
        super().__init__(f"bind refused with {status:#x}")
        self.is_login = status in _REJECTED_LOGIN


class BindBroken(Exception):
    """The connection is lost, or an answer did not come in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The address and account of a message centre. receives: bind for receipts and received texts, too."""

    host: str
    port: int
    tls: bool
    system_id: str
    password: str
    system_type: str = ""
    window: int = 10
    receives: bool = False


@dataclass(slots=True)
class Waiting:
    """A PDU that waits for its answer."""

    came: threading.Event = field(default_factory=threading.Event)
    answer: Any = None  # Any: smpplib has no types


class _Client(Client):
    """smpplib's client with a check of the certificate's host name and a limit for PDUs."""

    sock: socket.socket | None = None  # `Deadline` closes the attribute of this name

    def connect(self) -> None:
        self.sock = self._socket = socket.create_connection((self.host, self.port), CONNECT_SECONDS)
        self.sock.settimeout(READ_SECONDS)
        if self._ssl_context:
            self.sock = self._socket = self._ssl_context.wrap_socket(self.sock, server_hostname=self.host)
        self.state = consts.SMPP_CLIENT_STATE_OPEN

    def has_something(self, seconds: float) -> bool:
        if self.sock is None:
            return False
        if isinstance(self.sock, ssl.SSLSocket) and self.sock.pending():
            return True
        return bool(select.select([self.sock], [], [], seconds)[0])

    def shut(self) -> None:
        """End every read and write on the socket, also in other threads."""
        if self.sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)

    def clear(self) -> None:
        """Close the socket without smpplib's warning about a missing unbind, which this module logs itself."""
        self.state = consts.SMPP_CLIENT_STATE_OPEN
        self.disconnect()

    def _recv_exact(self, exact_size: int) -> bytes:
        if not 0 <= exact_size <= LARGEST_PDU:
            raise exceptions.ConnectionError
        data: bytes = super()._recv_exact(exact_size)
        return data


class Bind:
    """An open bind. `take` is called in the reading thread with each deliver_sm, and returns the status to answer."""

    def __init__(self, options: Options, take: Callable[[Any], int] | None) -> None:  # Any: smpplib has no types
        """Connect and bind. Raises BindFailed, BindBroken."""
        self._take = take
        self._sending = threading.Lock()
        self._window = threading.Semaphore(options.window)
        self._waiting: dict[int, Waiting] = {}
        self.is_open = True
        context = ssl.create_default_context() if options.tls else None
        self._client = _Client(
            options.host, options.port, logger_name=_silent.name, ssl_context=context, allow_unknown_opt_params=True
        )
        who = {"system_id": options.system_id, "password": options.password, "system_type": options.system_type}
        try:
            with Deadline(OPEN_SECONDS) as deadline:
                deadline.watch(self._client)
                self._client.connect()
                bind = self._client.bind_transceiver if options.receives else self._client.bind_transmitter
                bind(**who)
        except exceptions.PDUError as error:
            self._client.clear()
            raise BindFailed(int(error.args[1]) if len(error.args) > 1 else 0) from error
        except BROKEN as error:
            self._client.clear()
            raise BindBroken(type(error).__name__) from error
        self._heard_at = self._asked_at = time.monotonic()
        threading.Thread(target=self._read, name="smpp", daemon=True).start()

    def submit(self, messages: list[dict[str, Any]], *, until: float) -> list[Any]:  # Any: smpplib has no types
        """Send each message as submit_sm and return the answers. After BindBroken, some may have been accepted.

        until: the end of waiting, by time.monotonic().
        """
        sent: list[tuple[int, Waiting]] = []
        try:
            for message in messages:
                if not self._window.acquire(timeout=max(0.0, until - time.monotonic())):
                    raise BindBroken("the window stayed full")
                sent.append(self._submit(message))
            return [self._answer(waiting, until) for _, waiting in sent]
        finally:
            for sequence, _ in sent:
                self._forget(sequence)

    def unbind(self) -> None:
        """Send an unbind and close the connection."""
        with contextlib.suppress(*BROKEN):
            self._send(smpp.make_pdu("unbind", client=self._client))
        self._close()

    def _submit(self, message: dict[str, Any]) -> tuple[int, Waiting]:
        waiting = Waiting()
        with self._sending:
            pdu = smpp.make_pdu("submit_sm", client=self._client, **message)
            self._waiting[pdu.sequence] = waiting
            try:
                self._client.send_pdu(pdu)
            except BROKEN as error:
                self._close()
                raise BindBroken(type(error).__name__) from error
        return pdu.sequence, waiting

    def _answer(self, waiting: Waiting, until: float) -> Any:  # Any: smpplib has no types
        waiting.came.wait(min(READ_SECONDS, max(0.0, until - time.monotonic())))
        if waiting.answer is None:
            raise BindBroken("no answer in time" if self.is_open else "disconnected")
        return waiting.answer

    def _forget(self, sequence: int) -> Waiting | None:
        """Release the place of one message in the window."""
        waiting = self._waiting.pop(sequence, None)
        if waiting is not None:
            self._window.release()
        return waiting

    def _read(self) -> None:
        try:
            while self.is_open:
                if self._client.has_something(0.5):
                    self._handle(self._client.read_pdu())
                    self._heard_at = time.monotonic()
                else:
                    self._ask()
        except BROKEN as error:
            if self.is_open:
                log.warning("smpp.disconnected", error=type(error).__name__)
        finally:
            self._close()
            self._client.clear()

    def _ask(self) -> None:
        """Send an enquire_link after a time without traffic. Raises ConnectionError if its answer is late."""
        now = time.monotonic()
        if self._asked_at > self._heard_at and now - self._asked_at > READ_SECONDS:
            raise exceptions.ConnectionError
        if now - max(self._heard_at, self._asked_at) > QUIET_SECONDS:
            self._asked_at = now
            self._send(smpp.make_pdu("enquire_link", client=self._client))

    def _handle(self, pdu: Any) -> None:  # Any: smpplib has no types
        if pdu.command in ("submit_sm_resp", "generic_nack"):
            if waiting := self._forget(pdu.sequence):
                waiting.answer = pdu
                waiting.came.set()
        elif pdu.command == "deliver_sm":
            status = self._take(pdu) if self._take else consts.SMPP_ESME_RX_T_APPN
            self._respond("deliver_sm_resp", pdu, status=status, message_id="")
        elif pdu.command == "enquire_link":
            self._respond("enquire_link_resp", pdu)
        elif pdu.command == "unbind":
            self._respond("unbind_resp", pdu)
            self._close()

    def _respond(self, command: str, pdu: Any, **fields: Any) -> None:  # Any: smpplib has no types
        answer = smpp.make_pdu(command, client=self._client, **fields)
        answer.sequence = pdu.sequence
        self._send(answer)

    def _send(self, pdu: Any) -> None:  # Any: smpplib has no types
        with self._sending:
            self._client.send_pdu(pdu)

    def _close(self) -> None:
        """Shut the connection down and wake the waiting threads. The reading thread closes the socket."""
        self.is_open = False
        self._client.shut()
        for waiting in list(self._waiting.values()):
            waiting.came.set()
