"""Reports in forms that differ from the standard ones. Source: docs/reference/suppressions.md §5."""

import base64
from collections.abc import Callable

import pytest

from notifications.delivery.returned_emails import mailbox
from notifications.delivery.returned_emails.mailbox import Taken
from notifications.models import Notification, Status, Suppression, SuppressionReason
from tests.notifications.delivery.test_returned_emails import ANA, bounce, complaint, sent

pytestmark = pytest.mark.django_db

COPY = """\
Return-Path: <bounces@signalbox.invalid>
From: Tides <tides@signalbox.invalid>
Message-ID: <{id}@signalbox.invalid>
Subject: High water

At noon.
"""
QMAIL = """\
From: MAILER-DAEMON@mx.quay.example
To: bounces@signalbox.invalid
Subject: failure notice

Hi. This is the qmail-send program at mx.quay.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{recipient}>:
{reason}

--- Below this line is a copy of the message.

"""
EXIM = """\
From: Mail Delivery System <Mailer-Daemon@mx.quay.example>
To: bounces@signalbox.invalid
X-Failed-Recipients: {recipient}
Auto-Submitted: auto-replied
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {recipient}
    {reason}

------ This is a copy of the message, including all the headers. ------

"""
MICROSOFT = """\
From: staff@hotmail.com
To: bounces@signalbox.invalid
Subject: complaint about message from 192.0.2.1
Content-Type: multipart/mixed; boundary="=_m"

--=_m
Content-Type: message/rfc822
Content-Disposition: inline

X-HmXmrOriginalRecipient: {recipient}
{copy}
--=_m--
"""
UNKNOWN_USER = "Sorry, no mailbox here by that name. (#5.1.1)"


def in_base64(report: str, kind: str) -> str:
    """Return the report with the body of one part in base64."""
    before, head, rest = report.partition(f"Content-Type: {kind}\n\n")
    body, edge, after = rest.partition("--=_")
    assert head
    encoded = base64.encodebytes(body.replace("\n", "\r\n").encode()).decode()
    return f"{before}Content-Type: {kind}\nContent-Transfer-Encoding: base64\n\n{encoded}\n{edge}{after}"


def plain(form: str, message: Notification, reason: str = UNKNOWN_USER, recipient: str = ANA) -> bytes:
    return (form.format(recipient=recipient, reason=reason) + COPY.format(id=message.id)).encode()


def standard(message: Notification) -> str:
    return bounce(message).decode().replace("\r\n", "\n")


BOUNCES: dict[str, Callable[[Notification], str]] = {
    "RFC 6533": lambda message: (
        standard(message)
        .replace("message/delivery-status", "message/global-delivery-status")
        .replace("text/rfc822-headers", "message/global-headers")
        .replace("rfc822; ana@", "utf-8; ana@")
    ),
    "RFC 6533 with an escaped email address": lambda message: (
        standard(message)
        .replace("message/delivery-status", "message/global-delivery-status")
        .replace("rfc822; ana@", r"utf-8; \x{61}na@")
    ),
    "base64": lambda message: in_base64(standard(message), "message/delivery-status"),
    "headers in base64": lambda message: in_base64(standard(message), "text/rfc822-headers"),
    "email in base64": lambda message: in_base64(
        standard(message).replace("text/rfc822-headers", "message/rfc822"), "message/rfc822"
    ),
    "global email": lambda message: standard(message).replace("text/rfc822-headers", "message/global"),
    "comment": lambda message: standard(message).replace("Action: failed", "Action: Failed (permanent)"),
    "comment after the recipient": lambda message: standard(message).replace(ANA, f"{ANA} (Ana)"),
    "empty line first": lambda message: standard(message).replace("Reporting-MTA", "\nReporting-MTA"),
    "quoted-printable": lambda message: standard(message).replace(
        "Content-Type: message/delivery-status\n",
        "Content-Type: message/delivery-status\nContent-Transfer-Encoding: quoted-printable\n",
    ),
    "qmail": lambda message: plain(QMAIL, message).decode(),
    "qmail in base64": lambda message: (
        plain(QMAIL, message).decode().partition("\n\n")[0]
        + "\nContent-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(plain(QMAIL, message).partition(b"\n\n")[2]).decode()
    ),
    "Exim": lambda message: plain(EXIM, message, "550 5.1.1 No such user").decode(),
}
COMPLAINTS: dict[str, Callable[[Notification], str]] = {
    "empty line first": lambda message: (
        complaint(message).decode().replace("Feedback-Type: abuse", "\nFeedback-Type: abuse")
    ),
    "comment": lambda message: complaint(message, "Abuse (spam)").decode(),
    "base64": lambda message: in_base64(complaint(message).decode(), "message/feedback-report"),
    "Microsoft": lambda message: MICROSOFT.format(recipient=ANA, copy=COPY.format(id=message.id)),
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("form", BOUNCES)
def test_a_bounce_in_another_form_suppresses_the_recipient(form: str, line_end: str) -> None:
    message = sent()

    assert mailbox.take_in(BOUNCES[form](message).replace("\n", line_end).encode()) == Taken.APPLIED

    message.refresh_from_db()
    assert message.status == Status.PERMANENT_FAILURE
    assert message.receipts[-1]["code"] == "5.1.1"
    assert Suppression.objects.get().reason == SuppressionReason.HARD_BOUNCE


@pytest.mark.parametrize("form", COMPLAINTS)
def test_a_complaint_in_another_form_suppresses_the_recipient(form: str) -> None:
    message = sent()

    assert mailbox.take_in(COMPLAINTS[form](message).encode()) == Taken.APPLIED

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert Suppression.objects.get().reason == SuppressionReason.COMPLAINT


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        (QMAIL, "I'm not going to try again; this message has been in the queue too long. (#4.4.1)"),
        (EXIM, "450 4.2.2 Mailbox full: retry timeout exceeded"),
    ],
    ids=["qmail", "Exim"],
)
def test_a_temporary_failure_in_plain_text_suppresses_nobody(form: str, reason: str) -> None:
    message = sent()

    assert mailbox.take_in(plain(form, message, reason)) == Taken.APPLIED

    message.refresh_from_db()
    assert message.status == Status.TEMPORARY_FAILURE
    assert not Suppression.objects.exists()


def test_an_ip_address_is_no_status_code() -> None:
    message = sent()

    mailbox.take_in(plain(QMAIL, message, "5.1.1.9 does not like recipient.\nGiving up on 5.1.1.9."))

    message.refresh_from_db()
    assert (message.status, message.receipts[-1]["code"]) == (Status.PERMANENT_FAILURE, "")
    assert not Suppression.objects.exists()


@pytest.mark.parametrize(
    "report",
    [
        lambda message: plain(QMAIL, message, recipient="eve@quay.example"),
        lambda message: plain(EXIM, message, recipient="eve@quay.example"),
    ],
    ids=["qmail", "Exim"],
)
def test_a_bounce_of_another_recipient_suppresses_nobody(report: Callable[[Notification], bytes]) -> None:
    mailbox.take_in(report(sent()))

    assert not Suppression.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        ("@signalbox.invalid>\nSubject", "@another.example>\nSubject"),  # not an email of this installation
        ("Hi. This is", "> Hi. This is"),  # quoted by a person
        ("--- Below", "Below"),  # no copy of the email
        ("Message-ID: <", "Message-ID: <x"),
    ],
)
def test_a_text_that_only_resembles_a_report_changes_nothing(change: tuple[str, str]) -> None:
    message = sent()
    text = plain(QMAIL, message).decode()
    assert change[0] in text

    assert mailbox.take_in(text.replace(*change).encode()) == Taken.IGNORED

    assert not Suppression.objects.exists()


def test_a_person_who_forwards_an_email_does_not_complain() -> None:
    message = sent()
    report = MICROSOFT.format(recipient=ANA, copy=COPY.format(id=message.id))
    with_text = report.replace("\n--=_m\n", "\n--=_m\nContent-Type: text/plain\n\nSee below.\n--=_m\n", 1)

    assert mailbox.take_in(with_text.encode()) == Taken.IGNORED
    assert mailbox.take_in(report.replace("X-HmXmrOriginalRecipient", "X-Other").encode()) == Taken.IGNORED


def test_a_delay_in_another_form_changes_nothing() -> None:
    message = sent()
    report = standard(message).replace("Action: failed", "Action: delayed (will retry)")

    assert mailbox.take_in(report.encode()) == Taken.IGNORED
