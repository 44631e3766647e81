"""Text messages to a message centre by SMPP 3.4: `smpp://system_id:password@host:2775`, `smpps://` with TLS.

Each worker process keeps one bind, on which delivery receipts and received texts arrive, so it listens from its start.
Any other process binds as a transmitter only. Otherwise receipts would go to a process that is about to end.
Source: docs/reference/sending-api.md §19.2, §19.3; docs/reference/security.md §11, §12.
"""

import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import structlog
from django.db import close_old_connections
from smpplib import consts

from notifications.delivery.messages import (
    Accepted,
    IncomingText,
    OutgoingSms,
    PermanentFailure,
    Receipt,
    TemporaryFailure,
)
from notifications.delivery.providers import connection_errors, smpp_text
from notifications.delivery.providers.provider_url import ProviderUrl
from notifications.delivery.providers.smpp_bind import Bind, BindBroken, BindFailed, Options

TOTAL_SECONDS = 15.0  # of one message
LOOK_SECONDS = 1.0  # between checks of a bind that listens
AGAIN_AFTER_SECONDS = 5.0  # after a failed bind
PORTS = {"smpp": 2775, "smpps": 3550}

_UDH = 0x40  # in esm_class: the text starts with a header
_KIND = 0x3C  # of esm_class; 0 is a text, the lowest of these bits a receipt
_RECEIPT = 0x04
_INTERNATIONAL, _ALPHANUMERIC, _NETWORK = 1, 5, 3  # types of number
_FOR_LATER = {
    consts.SMPP_ESME_RSYSERR, consts.SMPP_ESME_RMSGQFUL, consts.SMPP_ESME_RTHROTTLED, consts.SMPP_ESME_RSUBMITFAIL,
    consts.SMPP_ESME_RINVBNDSTS, consts.SMPP_ESME_RX_T_APPN,
}  # fmt: skip
_RECIPIENTS = {consts.SMPP_ESME_RINVDSTADR, consts.SMPP_ESME_RINVDSTTON, consts.SMPP_ESME_RINVDSTNPI}
_VENDORS_FROM = 0x400  # status codes that each vendor defines

log = structlog.get_logger()

TakeReceipt = Callable[[str, Receipt], None]
TakeText = Callable[[str, IncomingText], None]


class Smpp:
    """One account with a message centre."""

    carries: tuple[type[OutgoingSms], ...] = (OutgoingSms,)

    def __init__(self, name: str, url: str, *, total_seconds: float = TOTAL_SECONDS) -> None:
        """Raise ValueError for an unusable URL. The error leaves out the URL, because it may contain a password."""
        parsed = ProviderUrl.parse(url, known=("system_type", "window", "long", "receipts"))
        if not parsed.host or not parsed.user or parsed.path not in ("", "/"):
            raise ValueError("must be such as smpp://system_id:password@smsc.example.org:2775")
        if (long := parsed.parameters.get("long", "parts")) not in ("parts", "payload"):
            raise ValueError("has a parameter long that must be parts or payload")
        if len(parsed.user) > 15 or len(parsed.password) > 8:
            raise ValueError("has a system_id of more than 15 or a password of more than 8 characters")
        self.name = name
        self.sends_receipts = parsed.are_receipts_on(can_check_receipts=True)
        self._cuts = long == "parts"
        self._options: dict[str, Any] = {  # Any: the fields of Options
            "host": parsed.host,
            "port": parsed.port or PORTS[parsed.scheme],
            "tls": parsed.scheme == "smpps",
            "system_id": parsed.user,
            "password": parsed.password,
            "system_type": parsed.parameters.get("system_type", ""),
            "window": parsed.number("window", 10),
        }
        self._total_seconds = total_seconds
        self._take: tuple[TakeReceipt, TakeText] | None = None
        self._opening = threading.Lock()
        self._bind: Bind | None = None
        self._ended = threading.Event()

    @property
    def server(self) -> tuple[str, int]:
        return self._options["host"], self._options["port"]

    def sign_in(self) -> str:
        """Open a further bind, as a transmitter, and close it. Raises TemporaryFailure."""
        try:
            Bind(Options(**self._options), None).unbind()
        except BindFailed as error:
            raise TemporaryFailure(str(error), reply=f"{error}.", opens_circuit=error.is_login) from error
        except BindBroken as error:
            raise TemporaryFailure(str(error), reply=connection_errors.sentence(error)) from error
        host, port = self.server
        return f"Signed in to {host}:{port}."

    def send(self, message: OutgoingSms) -> Accepted:
        """Send one text message. Raises TemporaryFailure or PermanentFailure."""
        until = time.monotonic() + self._total_seconds
        pdus = self._pdus(message)
        try:
            answers = self._opened().submit(pdus, until=until)
        except BindFailed as error:
            raise TemporaryFailure(str(error), opens_circuit=error.is_login) from error
        except _NotConnected as error:
            raise TemporaryFailure(f"cannot connect: {error}", reply=connection_errors.sentence(error)) from error
        except BindBroken as error:
            raise TemporaryFailure(str(error), reply=connection_errors.sentence(error), is_uncertain=True) from error
        for answer in answers:
            if answer.status != consts.SMPP_ESME_ROK:
                taken = any(other.status == consts.SMPP_ESME_ROK for other in answers)
                raise _failure(answer.status, some_taken=taken)
        # The last part requests the receipt: the phone has the whole text once that part has arrived.
        reference = (answers[-1].message_id or b"").decode(errors="replace")
        return Accepted(reference=reference, reply=f"{len(answers)} part{'s' if len(answers) > 1 else ''}")

    def listen(self, take_receipt: TakeReceipt, take_text: TakeText) -> None:
        """Start a thread that keeps a bind open for receipts and texts, and return."""
        self._take = (take_receipt, take_text)
        threading.Thread(target=self._keep_open, name="smpp-keeper", daemon=True).start()

    def end(self) -> None:
        """Unbind and stop listening."""
        self._ended.set()
        with self._opening:
            if self._bind is not None:
                self._bind.unbind()

    def _opened(self) -> Bind:
        """Return the bind and open it if necessary. Raises BindFailed, _NotConnected."""
        with self._opening:
            if self._bind is None or not self._bind.is_open:
                receives = self._take is not None
                try:
                    self._bind = Bind(Options(**self._options, receives=receives), self._taken if receives else None)
                except BindBroken as error:
                    raise _NotConnected(str(error)) from error
                log.info("smpp.bound", provider=self.name, receives=receives)
            return self._bind

    def _keep_open(self) -> None:
        wait = 0.0
        while not self._ended.wait(wait):
            wait = LOOK_SECONDS
            try:
                self._opened()
            except (BindFailed, _NotConnected) as error:
                log.warning("smpp.not_bound", provider=self.name, reason=str(error))
                wait = AGAIN_AFTER_SECONDS

    def _pdus(self, message: OutgoingSms) -> list[dict[str, Any]]:  # Any: arguments of smpplib
        joint = UUID(message.reference).int & 0xFF  # the same for every attempt, so a phone can detect a duplicate
        whole = not self._cuts
        encoded = smpp_text.encode_whole(message.content) if whole else smpp_text.encode(message.content, joint=joint)
        ton = _type_of(message.sender)
        common = {
            "source_addr": message.sender,
            "source_addr_ton": ton,
            "source_addr_npi": 1 if ton == _INTERNATIONAL else 0,
            "destination_addr": message.to,
            "dest_addr_ton": _INTERNATIONAL,
            "dest_addr_npi": 1,
            "data_coding": encoded.data_coding,
            "esm_class": _UDH if encoded.is_long else 0,
        }
        last = len(encoded.parts) - 1
        texts = [{"message_payload": part} if whole else {"short_message": part} for part in encoded.parts]
        wants_receipt = [self.sends_receipts and number == last for number in range(len(texts))]
        return [
            common | text | {"registered_delivery": int(wanted)}
            for text, wanted in zip(texts, wants_receipt, strict=True)
        ]

    def _taken(self, pdu: Any) -> int:  # Any: smpplib has no types
        """Store a receipt or a text before it is acknowledged. Return the status of the answer."""
        if self._take is None:
            return int(consts.SMPP_ESME_RX_T_APPN)
        take_receipt, take_text = self._take
        try:
            close_old_connections()
            kind = (pdu.esm_class or 0) & _KIND
            if kind == _RECEIPT:
                if receipt := _receipt(pdu):
                    take_receipt(self.name, receipt)
            elif kind == 0:
                take_text(self.name, _text(pdu))
        except Exception as error:  # on any error, the message centre must send it again
            log.error("smpp.not_taken", provider=self.name, exc_info=error)
            return int(consts.SMPP_ESME_RX_T_APPN)
        finally:
            close_old_connections()
        return int(consts.SMPP_ESME_ROK)


class _NotConnected(Exception):
    """There is no bind, so the message was not sent."""


def _failure(status: int, *, some_taken: bool) -> TemporaryFailure | PermanentFailure:
    """Return the failure for a rejected part. It is uncertain if other parts were accepted."""
    reason = f"submit_sm refused with {status:#x}"
    reply = str(consts.DESCRIPTIONS.get(status, ""))
    if status in _FOR_LATER or status >= _VENDORS_FROM:
        return TemporaryFailure(reason, reply=reply, is_uncertain=some_taken)
    return PermanentFailure(reason, reply=reply, is_recipients=status in _RECIPIENTS)


def _type_of(sender: str) -> int:
    if not sender.isdigit():
        return _ALPHANUMERIC
    return _INTERNATIONAL if len(sender) > 7 else _NETWORK


def _content(pdu: Any) -> bytes:  # Any: smpplib has no types
    content: bytes = pdu.short_message or getattr(pdu, "message_payload", None) or b""
    return content


def _receipt(pdu: Any) -> Receipt | None:  # Any: smpplib has no types
    named = (getattr(pdu, "receipted_message_id", None) or b"").decode(errors="replace")
    words = smpp_text.decode(_content(pdu), pdu.data_coding or 0)
    return smpp_text.receipt(words, reference=named, state=getattr(pdu, "message_state", None))


def _text(pdu: Any) -> IncomingText:  # Any: smpplib has no types
    content, part_of = _content(pdu), None
    if pdu.esm_class & _UDH:
        part_of, content = smpp_text.split_header(content)
    elif getattr(pdu, "sar_total_segments", None):
        part_of = smpp_text.part(pdu.sar_msg_ref_num or 0, pdu.sar_total_segments, pdu.sar_segment_seqnum or 0)
    return IncomingText(
        sender=(pdu.source_addr or b"").decode(errors="replace"),
        recipient=(pdu.destination_addr or b"").decode(errors="replace"),
        content=smpp_text.decode(content, pdu.data_coding or 0).replace("\0", ""),  # PostgreSQL cannot store NUL
        part_of=part_of,
    )
