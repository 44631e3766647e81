"""Bounces and complaints by email end in a suppression, and the next email does not leave.

Source: docs/reference/suppressions.md §5.
"""

import io
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from notifications.delivery.returned_emails import mailbox
from notifications.delivery.returned_emails.mailbox import Taken
from notifications.delivery.returned_emails.reading.limits import MOST_BYTES
from notifications.models import Notification, Status, Suppression, SuppressionReason, SuppressionSource
from tests.factories import make_notification
from tests.notifications.delivery.postfix import BOUNCES, Postfix
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db

ANA = "ana@quay.example"
BOUNCE = """\
From: MAILER-DAEMON@mx.quay.example
To: bounces@signalbox.invalid
Message-ID: <4711@mx.quay.example>
Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"

--=_b
Content-Type: text/plain

I am sorry.
--=_b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.quay.example

Final-Recipient: rfc822; {recipient}
Action: {action}
Status: {status}
Diagnostic-Code: smtp; {reply}

--=_b
Content-Type: text/rfc822-headers

From: Tides <tides@signalbox.invalid>
Message-ID: <{id}@signalbox.invalid>
--=_b--
"""
COMPLAINT = """\
From: feedback@mailbox.example
To: bounces@signalbox.invalid
Content-Type: multipart/report; report-type=feedback-report; boundary="=_c"

--=_c
Content-Type: text/plain

This is an email abuse report.
--=_c
Content-Type: message/feedback-report

Feedback-Type: {kind}
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <bounces@signalbox.invalid>
{rcpt}
--=_c
Content-Type: message/rfc822

From: Tides <tides@signalbox.invalid>
To: redacted
Message-ID: <{id}@signalbox.invalid>
Subject: High water

At noon.
--=_c--
"""


def bounce(message: Notification, **fields: str) -> bytes:
    values = {"recipient": ANA, "action": "failed", "status": "5.1.1", "reply": "550 5.1.1 No such user"}
    return BOUNCE.format(id=message.id, **values | fields).replace("\n", "\r\n").encode()


def complaint(message: Notification, kind: str = "abuse", rcpt: str = "") -> bytes:
    return COMPLAINT.format(id=message.id, kind=kind, rcpt=rcpt or "Source-IP: 192.0.2.1").encode()


def sent(**fields: Any) -> Notification:
    """Return an email that a mail server without delivery receipts has accepted."""
    values = {"status": Status.DELIVERED, "is_acceptance_final": True, "provider": "mail"}
    return make_notification(recipient=ANA, **values | fields)


def status_of_next(message: Notification) -> str:
    following = make_notification(message.template, ANA)
    drain_messages()
    following.refresh_from_db()
    return following.status


@pytest.fixture
def postfix() -> Iterator[Postfix]:
    server = Postfix()
    yield server
    server.stop()


def test_an_email_that_a_real_mail_server_returns_suppresses_its_recipient(postfix: Postfix, settings: Any) -> None:
    settings.PROVIDERS, settings.BOUNCE_EMAIL_ADDRESS = [f"mail={postfix.url}"], BOUNCES
    message = make_notification(recipient="nobody-here@quay.example")
    drain_messages()
    message.refresh_from_db()
    assert message.status == Status.DELIVERED  # as far as the acceptance tells

    call_command("receive_email", file=str(postfix.wait_for_returned()))

    message.refresh_from_db()
    assert message.status == Status.PERMANENT_FAILURE
    assert message.receipts[-1]["code"] == "5.1.1"
    row = Suppression.objects.get()
    assert (row.reason, row.source) == (SuppressionReason.HARD_BOUNCE, SuppressionSource.MAILBOX)
    assert (row.recipient, row.notification_id) == ("nobody-here@quay.example", message.id)
    following = make_notification(message.template, "nobody-here@quay.example")
    drain_messages()
    following.refresh_from_db()
    assert (following.status, following.provider) == (Status.PERMANENT_FAILURE, "")
    assert len(postfix.returned()) == 1


@pytest.mark.parametrize(
    ("fields", "status", "is_suppressed"),
    [
        ({}, Status.PERMANENT_FAILURE, True),
        ({"recipient": "Ana@Quay.example"}, Status.PERMANENT_FAILURE, True),
        ({"status": "5.0.0"}, Status.PERMANENT_FAILURE, True),  # the reply is more specific
        ({"status": "5.2.2", "reply": "552 5.2.2 Over quota"}, Status.PERMANENT_FAILURE, False),
        ({"status": "4.4.7", "reply": "delivery temporarily suspended"}, Status.TEMPORARY_FAILURE, False),
        ({"recipient": "ana@elsewhere.example"}, Status.PERMANENT_FAILURE, False),  # the recipient forwards emails
        ({"action": "delayed", "status": "4.4.1"}, Status.DELIVERED, False),
        ({"action": "relayed", "status": "2.0.0"}, Status.DELIVERED, False),
    ],
)
def test_a_bounce_is_applied_like_a_delivery_receipt(
    fields: dict[str, str], status: Status, is_suppressed: bool
) -> None:
    message = sent()

    taken = mailbox.take_in(bounce(message, **fields))

    message.refresh_from_db()
    assert message.status == status
    assert taken == (Taken.IGNORED if status == Status.DELIVERED else Taken.APPLIED)
    assert Suppression.objects.exists() is is_suppressed
    assert (status_of_next(message) == Status.PERMANENT_FAILURE) is is_suppressed


@pytest.mark.parametrize(
    ("kind", "rcpt", "is_suppressed"),
    [
        ("abuse", "", True),
        ("Fraud", f"Original-Rcpt-To: <{ANA}>", True),
        ("not-spam", "", False),
        ("virus", "", False),
        ("other", "", False),
    ],
)
def test_a_complaint_suppresses_the_recipient(kind: str, rcpt: str, is_suppressed: bool) -> None:
    message = sent()

    taken = mailbox.take_in(complaint(message, kind, rcpt))

    message.refresh_from_db()
    assert message.status == Status.DELIVERED  # it arrived
    assert taken == (Taken.APPLIED if is_suppressed else Taken.IGNORED)
    assert Suppression.objects.exists() is is_suppressed
    if is_suppressed:
        row = Suppression.objects.get()
        assert (row.reason, row.source) == (SuppressionReason.COMPLAINT, SuppressionSource.MAILBOX)
    assert (status_of_next(message) == Status.PERMANENT_FAILURE) is is_suppressed


def test_a_report_about_an_unknown_message_changes_nothing() -> None:
    gone = make_notification(recipient=ANA)
    data, gone.id = bounce(gone), uuid.uuid4()
    Notification.objects.all().delete()

    assert mailbox.take_in(data) == Taken.UNKNOWN_MESSAGE


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\x00 no email",
        b"Subject: Out of office\r\n\r\nBack on Monday.",
        b"Content-Type: multipart/report; boundary=x\r\n\r\n--x\r\nContent-Type: message/delivery-status\r\n\r\n--x--",
        b"Content-Type: message/rfc822\r\n\r\nMessage-ID: <x@signalbox.invalid>\r\n\r\n",
        b"Message-ID: <%d@signalbox.invalid>\r\n" % 7 + b"Content-Type: text/rfc822-headers; charset=nope\r\n\r\n=?x",
    ],
)
def test_any_other_email_is_ignored(data: bytes) -> None:
    assert mailbox.take_in(data) == Taken.IGNORED


def test_an_answer_with_a_whole_email_is_no_report() -> None:
    message = sent()
    data = complaint(message).replace(b"message/feedback-report", b"text/plain")

    assert mailbox.take_in(data) == Taken.IGNORED


def test_another_installation_does_not_own_the_message(settings: Any) -> None:
    message = sent()
    settings.EMAIL_DOMAIN = "another.example"

    assert mailbox.take_in(bounce(message)) == Taken.IGNORED


def test_the_command_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    message = sent()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bounce(message))))

    call_command("receive_email")

    assert capsys.readouterr().out == "applied\n"
    assert Suppression.objects.get().notification_id == message.id


def test_an_email_that_is_too_large_stays_with_the_mail_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "large.eml"
    with file.open("wb") as sparse:
        sparse.truncate(MOST_BYTES + 1)

    with pytest.raises(SystemExit) as left:
        call_command("receive_email", file=str(file))

    assert (left.value.code, capsys.readouterr().out) == (75, "refused\n")
