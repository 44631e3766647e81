"""Emails to a reply-to address: what is stored, for which service, with which message, and what is left out."""

import uuid
from email.message import EmailMessage
from typing import Any

import pytest

from notifications.delivery.returned_emails import mailbox
from notifications.delivery.returned_emails.mailbox import Taken
from notifications.delivery.returned_emails.reading import replies
from notifications.models import ReceivedContent, ReceivedEmail, ReplyToAddress
from tests.factories import make_notification, make_reply_to, make_service, make_template

pytestmark = pytest.mark.django_db

DOMAIN = "notify.example.org"
HELP = f"help@{DOMAIN}"


@pytest.fixture(autouse=True)
def address(settings: Any) -> ReplyToAddress:
    settings.EMAIL_DOMAIN = DOMAIN
    return make_reply_to(make_service(), HELP)


def written(text: str = "When is high water?", *, to: str = HELP, **headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ana Pérez <Ana@Example.com>"
    message["To"] = to
    message["Subject"] = "Re: Tide table"
    message["Message-ID"] = f"<{uuid.uuid4()}@example.com>"
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message


def content() -> ReceivedContent:
    return ReceivedEmail.objects.get().content


def test_an_email_to_a_reply_to_address_is_stored_encrypted(address: ReplyToAddress) -> None:
    taken = mailbox.take_in(written("High water?\r\n\r\n> Low water").as_bytes())

    row = ReceivedEmail.objects.get()
    assert (taken, row.service, row.reply_to) == (Taken.STORED, address.service, address)
    assert (row.sender, row.normalised_sender, row.notification_id) == ("Ana@Example.com", "ana@example.com", None)
    assert row.content == ReceivedContent(subject="Re: Tide table", text="High water?\n\n> Low water", attachments=[])
    assert b"High" not in bytes(row.encrypted_content)
    assert not row.is_automatic


@pytest.mark.parametrize("name", ["In_Reply_To", "References"])
def test_it_belongs_to_the_message_that_it_answers(address: ReplyToAddress, name: str) -> None:
    message = make_notification(make_template(address.service))
    unknown = uuid.uuid4()
    ids = f"<first@example.com> <{message.pk}@{DOMAIN.upper()}> <{unknown}@{DOMAIN}>"

    mailbox.take_in(written(**{name: ids}).as_bytes())

    assert ReceivedEmail.objects.get().notification_id == message.pk


def test_of_two_services_with_one_address_the_one_of_the_message_gets_the_email() -> None:
    second = make_reply_to(make_service(), HELP.upper())
    message = make_notification(make_template(second.service))

    mailbox.take_in(written(In_Reply_To=f"<{message.pk}@{DOMAIN}>").as_bytes())
    mailbox.take_in(written().as_bytes())

    services = list(ReceivedEmail.objects.order_by("created_at").values_list("service", flat=True))
    assert services[0] == second.service_id
    assert services[1] != second.service_id


def test_a_message_of_another_service_is_not_linked() -> None:
    message = make_notification(make_template())

    mailbox.take_in(written(In_Reply_To=f"<{message.pk}@{DOMAIN}>").as_bytes())

    assert ReceivedEmail.objects.get().notification_id is None


def test_the_same_email_twice_is_stored_once() -> None:
    data = written().as_bytes()

    assert [mailbox.take_in(data), mailbox.take_in(data)] == [Taken.STORED, Taken.STORED]
    assert ReceivedEmail.objects.count() == 1


@pytest.mark.parametrize(
    ("recipients", "headers", "taken"),
    [
        ((), {"Cc": f"Help <{HELP}>", "to": "x@example.com"}, Taken.STORED),
        ((), {"Delivered_To": HELP, "to": "undisclosed-recipients:;"}, Taken.STORED),
        ((f"<{HELP.upper()}>",), {"to": "list@example.com"}, Taken.STORED),
        (("bounces@notify.example.org",), {}, Taken.IGNORED),  # the envelope counts
        ((), {"to": "nobody@notify.example.org"}, Taken.IGNORED),
        ((), {"to": "desk@council.example"}, Taken.IGNORED),  # another domain: it has a mailbox of its own
    ],
)
def test_the_recipient_decides(recipients: tuple[str, ...], headers: dict[str, str], taken: Taken) -> None:
    make_reply_to(make_service(), "desk@council.example")

    assert mailbox.take_in(written(**headers).as_bytes(), recipients) == taken
    assert ReceivedEmail.objects.count() == (taken is Taken.STORED)


@pytest.mark.parametrize("fields", [{"archived_at": "2026-01-01T00:00:00Z"}, None], ids=["address", "service"])
def test_a_removed_address_and_an_archived_service_receive_nothing(
    address: ReplyToAddress, fields: dict[str, Any] | None
) -> None:
    if fields:
        ReplyToAddress.objects.update(**fields)
    else:
        address.service.active = False
        address.service.save()

    assert mailbox.take_in(written().as_bytes()) == Taken.IGNORED


@pytest.mark.parametrize(
    ("headers", "is_automatic"),
    [
        ({"Auto_Submitted": "auto-replied (vacation)"}, True),
        ({"Auto_Submitted": "auto-generated; owner=x"}, True),
        ({"Precedence": "bulk"}, True),
        ({"X_Autoreply": "yes"}, True),
        ({"Auto_Submitted": "No"}, False),
        ({}, False),
    ],
)
def test_what_programs_write_is_marked(headers: dict[str, str], is_automatic: bool) -> None:
    mailbox.take_in(written(**headers).as_bytes())

    assert ReceivedEmail.objects.get().is_automatic is is_automatic


def test_files_are_dropped_and_their_names_kept() -> None:
    message = written("See the photo.")
    message.add_attachment(b"\xff" * 1000, maintype="image", subtype="jpeg", filename="Kai – 5.jpg")
    message.add_attachment("a,b", subtype="csv", filename="list.csv")
    message.add_attachment(written("inner text"))

    mailbox.take_in(message.as_bytes())

    assert content().text == "See the photo."
    assert content().attachments == ["Kai – 5.jpg", "list.csv", "message/rfc822"]


def test_html_becomes_plain_text_only_if_there_is_no_plain_text() -> None:
    html = "<html><head><style>p {}</style></head><p>High <b>water</b>?<br>Ana</p><script>alert(1)</script>"
    both, alone = written("plain"), written("")
    both.add_alternative(html, subtype="html")
    alone.set_content(html, subtype="html")

    for one in (both, alone):
        mailbox.take_in(one.as_bytes())

    rows = ReceivedEmail.objects.order_by("created_at")
    assert [row.content.text for row in rows] == ["plain", "High water?\nAna"]


def test_a_long_text_is_shortened() -> None:
    mailbox.take_in(written("x" * (replies.MOST_CHARACTERS + 1)).as_bytes())

    assert (len(content().text), content().is_shortened) == (replies.MOST_CHARACTERS, True)


@pytest.mark.parametrize(
    "data",
    [
        b"To: help@notify.example.org\nFrom: =?no?B?////?= <>\nContent-Type: text/plain; charset=no\n\n\xff\0",
        b"To: help@notify.example.org\nContent-Type: multipart/mixed\n\nno boundary",
        b"To: help@notify.example.org\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\n--x",
        b"To: help@notify.example.org\nContent-Transfer-Encoding: base64\n\n!!!!",
        b"To: help@notify.example.org\nSubject: \xff\0 =?utf-8?q?=ff?=\nMessage-ID: \xff\n\ntext",
        b"To: " + b"<help@notify.example.org>, " * 2000 + b"\n\ntext",
    ],
)
def test_broken_emails_are_stored_as_far_as_they_can_be_read(data: bytes) -> None:
    assert mailbox.take_in(data) == Taken.STORED
    assert "\0" not in ReceivedEmail.objects.get().sender + content().text + content().subject


def test_a_delay_notice_is_no_reply() -> None:
    data = (
        b"To: help@notify.example.org\nContent-Type: multipart/report; report-type=delivery-status; boundary=x\n\n--x--"
    )

    assert mailbox.take_in(data) == Taken.IGNORED
