"""Returned emails in the forms of other mail programs, by the id of their line in foreign-inputs.jsonl."""

import base64
from collections.abc import Callable

from notifications.models import Notification

RECIPIENT = "ana@quay.example"
_ENVELOPE = "From: MAILER-DAEMON@mx.quay.example\nTo: bounces@signalbox.invalid\nMessage-ID: <4711@mx.quay.example>\n"


def _original(message: Notification) -> str:
    return f"From: Tides <tides@signalbox.invalid>\nTo: {RECIPIENT}\nMessage-ID: <{message.id}@signalbox.invalid>\n"


def _copy(message: Notification) -> str:
    return f"{_original(message)}Subject: High water\n\nAt noon.\n"


def _part(kind: str, text: str, headers: str = "") -> str:
    return f"Content-Type: {kind}\n{headers}\n{text}"


def _whole(kind: str, *parts: str, headers: str = "") -> bytes:
    inside = "".join(f"--=_b\n{part}\n" for part in parts)
    text = f'{_ENVELOPE}{headers}MIME-Version: 1.0\nContent-Type: {kind}; boundary="=_b"\n\n{inside}--=_b--\n'
    return text.replace("\n", "\r\n").encode()


def _status(action: str = "failed", kind: str = "rfc822") -> str:
    return (
        f"Reporting-MTA: dns; mx.quay.example\n\nFinal-Recipient: {kind}; {RECIPIENT}\nAction: {action}\n"
        "Status: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 No such user\n"
    )


def _report(*parts: str) -> bytes:
    return _whole("multipart/report; report-type=delivery-status", _part("text/plain", "Sorry."), *parts)


def _internationalised(message: Notification) -> bytes:
    status = _part("message/global-delivery-status", _status(kind="utf-8"))
    return _report(status, _part("message/global-headers", _original(message)))


def _in_base64(message: Notification) -> bytes:
    encoded = base64.encodebytes(_status().encode()).decode()
    status = _part("message/delivery-status", encoded, "Content-Transfer-Encoding: base64\n")
    return _report(status, _part("text/rfc822-headers", _original(message)))


def _with_a_comment(message: Notification) -> bytes:
    status = _part("message/delivery-status", _status(action="Failed (permanent)"))
    return _report(status, _part("text/rfc822-headers", _original(message)))


def _of_qmail(message: Notification) -> bytes:
    text = (
        f"{_ENVELOPE}Subject: failure notice\n\nHi. This is the qmail-send program at mx.quay.example.\n"
        "I'm afraid I wasn't able to deliver your message to the following addresses.\n"
        "This is a permanent error; I've given up. Sorry it didn't work out.\n\n"
        f"<{RECIPIENT}>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n"
        f"--- Below this line is a copy of the message.\n\nReturn-Path: <bounces@signalbox.invalid>\n{_copy(message)}"
    )
    return text.replace("\n", "\r\n").encode()


def _after_an_empty_line(message: Notification) -> bytes:
    report = _part("message/feedback-report", "\nFeedback-Type: abuse\nUser-Agent: SomeGenerator/1.0\nVersion: 1\n")
    text = _part("text/plain", "A complaint.")
    return _whole(
        "multipart/report; report-type=feedback-report", text, report, _part("message/rfc822", _copy(message))
    )


def _of_microsoft(message: Notification) -> bytes:
    copy = _part("message/rfc822", f"X-HmXmrOriginalRecipient: {RECIPIENT}\n{_copy(message)}")
    return _whole("multipart/mixed", copy, headers="Subject: complaint about message from 192.0.2.1\n")


RETURNED: dict[str, Callable[[Notification], bytes]] = {
    "foreign-14": _internationalised,
    "foreign-15": _in_base64,
    "foreign-16": _with_a_comment,
    "foreign-17": _of_qmail,
    "foreign-18": _after_an_empty_line,
    "foreign-19": _of_microsoft,
}
