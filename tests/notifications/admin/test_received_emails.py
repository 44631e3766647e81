"""Received emails in the console: the list, one email, the message's page, redaction, and forwarding."""

import csv
import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from config.console import audit_sentences
from notifications.delivery import notices
from notifications.models import EmailForward, ReceivedEmail, Role, Service
from notifications.submission.templates import redaction
from tests import factories
from tests.people import colleague

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

LIST = "/admin/notifications/receivedemail/"
ANA = "ana@example.com"


@pytest.fixture
def service() -> Service:
    return factories.make_service(name="Tides")


def text_of(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("\xa0", " ").split())


def page_of(row: ReceivedEmail, step: str = "change") -> str:
    return reverse(f"admin:notifications_receivedemail_{step}", args=[row.pk])


def test_an_empty_list_says_what_belongs_there(console: Client, service: Service) -> None:
    assert "No received emails. Emails that people send to a reply-to address" in text_of(console.get(LIST))


def test_the_list_has_sender_subject_and_state(console: Client, service: Service) -> None:
    factories.make_received_email(service, "Hello <b>there</b>", is_automatic=True, notification_id=uuid.uuid4())
    factories.make_received_email(service, "of Ben", "ben@example.com", subject="")

    page = text_of(console.get(LIST))
    programs = text_of(console.get(f"{LIST}?writer=programs"))
    found = console.post(f"{LIST}search/", {"term": "ANA@example.com"}).headers["Location"]

    for expected in (ANA, "Re: Tide table", "Hello &lt;b&gt;there", "Automatic", "Reply", "(no subject)", "of Ben"):
        assert expected in page, expected
    assert "of Ben" not in programs
    assert "example" not in found
    assert "of Ben" not in text_of(console.get(found))
    assert console.get(f"{LIST}?normalised_sender={ANA}").status_code == 400


def test_the_page_shows_plain_text_facts_and_the_message(console: Client, service: Service) -> None:
    message = factories.make_notification(factories.make_template(service, name="Tide table"))
    row = factories.make_received_email(
        service, "see https://bad.example", notification_id=message.pk, attachments=["kai.jpg"]
    )

    source = console.get(page_of(row)).content.decode()
    message_page = console.get(reverse("admin:notifications_notification_change", args=[message.pk])).content.decode()

    for expected in (
        "see https://bad.example",
        "kai.jpg",
        ANA,
        "Tide table",
        "Files of received emails are not stored",
    ):
        assert expected in source, expected
    assert 'href="https://bad.example' not in source
    assert reverse("admin:notifications_notification_change", args=[message.pk]) in source
    assert "Received replies" in message_page
    assert page_of(row) in message_page


def test_what_a_reply_quotes_of_redacted_values_is_hidden(console: Client, service: Service) -> None:
    secret = factories.make_template(
        service, content="Code ((code))", subject="For ((name))", redact_personalisation=True
    )
    message = factories.make_notification(secret, body="Code 4711", subject="For Ana")
    text = "Thanks!\n\nOn Monday Tides wrote:\n> Code 4711"
    row = factories.make_received_email(service, text, notification_id=message.pk, subject="Re: For Ana")

    for url in (LIST, page_of(row)):
        page = text_of(console.get(url))
        assert "Thanks!" in page
        assert "4711" not in page
        assert "For Ana" not in page
    assert redaction.received(row).text == "Thanks!\n\n[hidden]"


def test_without_the_role_senders_are_masked_and_nothing_is_forwarded(service: Service) -> None:
    row = factories.make_received_email(service, "hello")
    client = colleague(service, Role.SEE_ACTIVITY, Role.SEND_MESSAGES)

    for url in (LIST, page_of(row)):
        page = text_of(client.get(url))
        assert ANA not in page
        assert "a…@example.com" in page
    assert "Forward" not in re.findall(r"<a [^>]*>([^<]*)</a>", client.get(page_of(row)).content.decode())
    assert client.get(page_of(row, "forward")).status_code == 403
    assert client.post(f"{LIST}search/", {"term": ANA}).status_code == 403


def test_people_without_a_role_or_of_another_service_see_nothing(service: Service) -> None:
    row = factories.make_received_email(service)
    editor, stranger = colleague(service, Role.EDIT_TEMPLATES), colleague(factories.make_service(), *Role)

    assert editor.get(page_of(row)).status_code == 403
    assert stranger.get(page_of(row)).status_code == 404
    assert stranger.get(page_of(row, "forward")).status_code == 404


def test_an_email_is_forwarded_to_a_team_member(service: Service, settings: Any) -> None:
    row = factories.make_received_email(service, "*High* water?\n<b>Ana</b>", attachments=["kai.jpg"])
    member = factories.make_team_member(service, "harbour@example.org")
    stranger = factories.make_team_member(factories.make_service(), "other@example.org")
    client = colleague(service, Role.SEND_MESSAGES, Role.SEE_RECIPIENTS, name="jo")

    refused = client.post(page_of(row, "forward"), {"member": stranger.pk})
    done = client.post(page_of(row, "forward"), {"member": member.pk})
    forward = EmailForward.objects.get()
    (sent,) = notices.KINDS["forward"].messages(forward)
    notices.KINDS["forward"].mail(forward.pk)

    assert "Select a valid choice" in text_of(refused)
    assert done.headers["Location"] == page_of(row)
    assert (sent.to, sent.reply_to, sent.subject) == ("harbour@example.org", ANA, "Fwd: Re: Tide table")
    assert "jo@example.org forwards an email that Tides received." in sent.text
    assert "*High* water?\n<b>Ana</b>" in sent.text
    assert "*High* water?\n&lt;b&gt;Ana&lt;/b&gt;" in sent.html
    assert "kai.jpg" in sent.text
    forward.refresh_from_db()
    assert (forward.mail_at, forward.refused_at) == (None, None)
    page = text_of(client.get(page_of(row)))
    assert "harbour@example.org" in page
    assert "Sent" in page
    event = AuditEvent.objects.get(verb="forwarded")
    assert (event.after, event.object_label) == ({"member": str(member.pk)}, "a…@example.com")


def test_an_email_that_cannot_be_decrypted_has_a_page(console: Client, service: Service) -> None:
    row = factories.make_received_email(service)
    ReceivedEmail.objects.update(encrypted_content=b"changed")

    assert "encrypted with a key that FIELD_KEYS does not contain" in text_of(console.get(page_of(row)))
    assert console.get(LIST).status_code == 200


# The CSV file


def rows_of(answer: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(answer.getvalue().decode().splitlines()))


def test_the_file_has_the_emails_of_the_list_within_its_filters(console: Client, service: Service) -> None:
    message = uuid.uuid4()
    row = factories.make_received_email(service, "=1+1", attachments=["kai.jpg"], notification_id=message)
    factories.make_received_email(service, "absence", is_automatic=True)
    factories.make_received_email(service, "old", created_at=service.kept_since() - timedelta(minutes=1))

    page = console.get(LIST).content.decode()
    asked = console.get(f"{LIST}download/?writer=people")
    found = rows_of(console.post(f"{LIST}download/?writer=people"))

    assert f'href="{LIST}download/?"' in page
    assert "The CSV file has 1 received email within the filters of the list." in text_of(asked)
    assert found == [
        {
            "Received at (UTC)": f"{row.created_at:%Y-%m-%d %H:%M:%S}",
            "From": ANA,
            "To": "",
            "Subject": "Re: Tide table",
            "Text": "'=1+1",
            "Files": "kai.jpg",
            "Written by": "person",
            "Answers message": str(message),
            "Service": "Tides",
            "Id": str(row.pk),
        }
    ]
    (event,) = AuditEvent.objects.filter(verb="downloaded_received_emails")
    line = audit_sentences.sentence(event, audit_sentences.names_of([event]))
    assert line == "mina@example.org downloaded the received emails of the service “Tides”"
    assert event.after == {"name": "Tides", "emails": 1}


def test_an_empty_list_has_no_file(console: Client, service: Service) -> None:
    assert "Download CSV" not in text_of(console.get(LIST))
    assert "There are no received emails." in text_of(console.get(f"{LIST}download/"))


def test_the_file_hides_what_the_pages_hide(service: Service, settings: Any) -> None:
    secret = factories.make_template(service, content="Code ((code))", redact_personalisation=True)
    message = factories.make_notification(secret, body="Code 4711")
    factories.make_received_email(service, "Thanks!\n> Code 4711", notification_id=message.pk)
    unreadable = factories.make_received_email(service, "hello")
    ReceivedEmail.objects.filter(pk=unreadable.pk).update(encrypted_content=b"0" * 40)

    content = colleague(service, Role.SEE_ACTIVITY).post(f"{LIST}download/").getvalue().decode()

    assert "Thanks!" in content
    assert "4711" not in content
    assert ANA not in content
    assert "encrypted with a key that FIELD_KEYS does not contain" in content


def test_the_file_is_for_people_who_may_open_the_list(service: Service) -> None:
    factories.make_received_email(service, "of Tides")
    other = colleague(factories.make_service(), Role.SEE_ACTIVITY, name="other")

    assert colleague(service, Role.EDIT_TEMPLATES, name="editor").get(f"{LIST}download/").status_code == 403
    assert "of Tides" not in other.post(f"{LIST}download/").getvalue().decode()
