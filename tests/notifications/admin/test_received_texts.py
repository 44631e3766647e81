"""Received texts in the console: the list of conversations, one conversation, replies, the search, and the file."""

import csv
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from config.audit.models import AuditEvent
from config.audit.reads import ReadEvent
from config.console import audit_sentences
from notifications.admin.received_texts import thread
from notifications.models import Channel, KeyType, Notification, ReceivedText, Role, Service, Template
from tests import factories
from tests.people import colleague

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

LIST = "/admin/notifications/receivedtext/"
SEND = "/admin/notifications/notification/send/"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ANA, BEN = "447700900123", "447700900456"


@pytest.fixture
def service() -> Service:
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    return factories.make_template(service, Channel.SMS, content="High water at ((time))", name="High water")


def text_of(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("\xa0", " ").split())


def got(service: Service, content: str, number: str = ANA, *, minutes_ago: int = 0, **fields: Any) -> ReceivedText:
    at = NOON - timedelta(minutes=minutes_ago)
    return factories.make_received_text(service, content, number, created_at=at, **fields)


def sent(template: Template, body: str, *, minutes_ago: int = 0, **fields: Any) -> Notification:
    at = NOON - timedelta(minutes=minutes_ago)
    return factories.make_notification(template, "07700 900123", body=body, created_at=at, **fields)


def page_of(text: ReceivedText) -> str:
    return reverse("admin:notifications_receivedtext_change", args=[text.pk])


def reply_to(text: ReceivedText, template: Template | None = None) -> str:
    named = {"template": template.pk} if template else {}
    return f"{SEND}?{urlencode({**named, 'reply_to': text.pk})}"


# The list


def test_an_empty_list_says_what_belongs_there(console: Client, service: Service) -> None:
    page = text_of(console.get(LIST))

    assert "No received texts. Texts that people send to a phone number of the service appear here." in page
    assert "Download CSV" not in page


def test_the_list_has_the_newest_text_of_each_sender(console: Client, service: Service, template: Template) -> None:
    got(service, "first of Ana", minutes_ago=9)
    got(service, "second of Ana", minutes_ago=8)
    got(service, "same moment a", BEN, minutes_ago=5)
    got(service, "same moment b", BEN, minutes_ago=5)
    got(factories.make_service(), "Ana to another service", minutes_ago=1)
    sent(template, "an answer", minutes_ago=7)

    page = text_of(console.get(LIST))

    assert page.index("Ana to another service") < page.index("same moment") < page.index("second of Ana")
    assert page.count("same moment") == 1
    assert "first of Ana" not in page
    assert page.count("Not answered") == 3  # the filter has the words, too
    got(service, "Stop.", BEN)
    assert "Keyword" in text_of(console.get(LIST))


def test_a_test_is_no_answer(console: Client, service: Service, template: Template) -> None:
    got(service, "of Ana", minutes_ago=9)
    got(service, "of Ben", BEN, minutes_ago=9)
    factories.make_notification(template, BEN, body="a test", created_at=NOON, key_type=KeyType.TEST)
    sent(template, "an answer")

    answered = text_of(console.get(f"{LIST}?state=answered"))
    waiting = text_of(console.get(f"{LIST}?state=waiting"))

    assert "of Ana" in answered
    assert "of Ben" not in answered
    assert "of Ben" in waiting
    assert "of Ana" not in waiting


def test_texts_past_the_retention_are_not_shown(service: Service) -> None:
    client = colleague(service, Role.SEE_ACTIVITY)
    old = got(service, "long ago", minutes_ago=9 * 24 * 60)

    assert "long ago" not in text_of(client.get(LIST))
    assert client.get(page_of(old)).status_code == 404


def test_a_search_finds_a_number_and_keeps_it_out_of_the_url(console: Client, service: Service) -> None:
    got(service, "of Ana")
    got(service, "of Ben", BEN)

    answer = console.post(f"{LIST}search/", {"term": "07700 900123"})
    found = text_of(console.get(answer.headers["Location"]))

    assert re.fullmatch(rf"{LIST}\?search=[0-9a-f-]{{36}}", answer.headers["Location"])
    assert "of Ana" in found
    assert "of Ben" not in found
    assert console.get(f"{LIST}?user_number={ANA}").status_code == 400


# One conversation


def test_a_conversation_has_received_and_sent_texts_by_time(
    console: Client, service: Service, template: Template
) -> None:
    got(service, "first <b>question</b> https://bad.example", minutes_ago=9)
    answer = sent(template, "first answer https://quay.example", minutes_ago=8)
    newest = got(service, "second question", minutes_ago=7)
    sent(template, "only a test", minutes_ago=6, key_type=KeyType.TEST)
    sent(factories.make_template(factories.make_service(), Channel.SMS), "of another service", minutes_ago=6)

    response = console.get(page_of(newest))
    page, source = text_of(response), response.content.decode()

    assert page.index("first &lt;b&gt;question") < page.index("first answer") < page.index("second question")
    assert "only a test" not in page
    assert "of another service" not in page
    assert reverse("admin:notifications_notification_change", args=[answer.pk]) in source
    assert 'href="https://quay.example"' in source
    assert 'href="https://bad.example"' not in source
    assert ReadEvent.objects.filter(object_kind="receivedtext", object_id=str(newest.pk)).count() == 1


def test_hidden_values_stay_hidden_in_a_conversation(console: Client, service: Service) -> None:
    secret = factories.make_template(service, Channel.SMS, content="Code ((code))", redact_personalisation=True)
    sent(secret, "Code 4711")

    page = text_of(console.get(page_of(got(service, "thanks"))))

    assert "4711" not in page
    assert "Code [hidden]" in page


def test_a_long_conversation_has_pages(console: Client, service: Service) -> None:
    texts = [got(service, f"text {number:03}", minutes_ago=200 - number) for number in range(thread.MOST_SHOWN + 1)]

    newest = console.get(page_of(texts[-1]))
    older_url = re.search(r'href="(\?before=[^"]+)"', newest.content.decode())
    assert older_url
    older = text_of(console.get(f"{page_of(texts[-1])}{older_url[1]}"))

    assert "text 000" not in text_of(newest)
    assert "text 001" in text_of(newest)
    assert "text 000" in older
    assert "text 001" not in older
    assert "Newest texts" in older
    assert console.get(f"{page_of(texts[-1])}?before=yesterday").status_code == 200


def test_a_conversation_shows_a_suppression(console: Client, service: Service) -> None:
    row = factories.make_suppression(service, "07700 900123")

    page = console.get(page_of(got(service, "thanks")))

    assert "The service sends no texts to this number. Suppressed because: By hand." in text_of(page)
    assert reverse("admin:notifications_suppression_change", args=[row.pk]) in page.content.decode()


def test_without_the_role_numbers_are_masked(service: Service, template: Template) -> None:
    text = got(service, "hello")
    client = colleague(service, Role.SEE_ACTIVITY, Role.SEND_MESSAGES)

    pages = [client.get(url) for url in (LIST, page_of(text), reply_to(text), reply_to(text, template))]

    assert [page.status_code for page in pages] == [200] * 4
    for page in pages:
        assert ANA not in page.content.decode()
        assert "07•••••123" in text_of(page)
    assert client.post(f"{LIST}search/", {"term": ANA}).status_code == 403


def test_people_without_a_role_or_of_another_service_see_nothing(service: Service) -> None:
    text = got(service, "hello")
    editor, stranger = colleague(service, Role.EDIT_TEMPLATES), colleague(factories.make_service(), *Role)

    assert editor.get(LIST).status_code == 403
    assert editor.get(page_of(text)).status_code == 403
    assert "hello" not in text_of(stranger.get(LIST))
    assert stranger.get(page_of(text)).status_code == 404
    assert stranger.get(reply_to(text)).status_code == 404


# Replies


def test_a_reply_goes_to_the_sender_from_the_number_that_received_the_text(
    service: Service, template: Template
) -> None:
    factories.make_sms_sender(service)
    own = factories.make_sms_sender(service, "07700 900777", is_default=False)
    text = got(service, "When is high water?")
    client = colleague(service, Role.SEE_ACTIVITY, Role.SEND_MESSAGES)
    email = factories.make_template(service, name="An email")

    choices = client.get(reply_to(text))
    form = client.get(reply_to(text, template))
    typed = {"template": template.pk, "reply_to": text.pk, "value-0": "12:40", "kind": "real", "reference": "r-1"}
    typed |= {"sender": own.pk, "recipient": "07700 900999", "nonce": field(form, "nonce")}
    checked = client.post(SEND, {**typed, "check": "yes"})
    done = client.post(SEND, {**typed, "checked": field(checked, "checked"), "send": "yes"})

    assert "High water" in text_of(choices)
    assert email.name not in text_of(choices)
    assert f'value="{own.pk}" selected' in form.content.decode()
    assert "High water at 12:40" in text_of(checked)
    assert done.headers["Location"] == page_of(text)
    message = Notification.objects.get()
    assert (message.normalised_recipient, message.sms_sender, message.body) == (ANA, own, "High water at 12:40")
    assert "High water at 12:40" in text_of(client.get(page_of(text)))


def test_only_people_who_send_messages_reply(service: Service, template: Template) -> None:
    text = got(service, "hello")
    reader = colleague(service, Role.SEE_RECIPIENTS)

    assert "Reply" not in re.findall(r"<a [^>]*>([^<]*)</a>", reader.get(page_of(text)).content.decode())
    assert reader.get(reply_to(text, template)).status_code == 403


@pytest.mark.parametrize("wrong", ["no-id", "00000000-0000-0000-0000-000000000000"])
def test_a_reply_needs_a_text_that_exists(console: Client, service: Service, wrong: str) -> None:
    assert console.get(f"{SEND}?reply_to={wrong}").status_code == 404


def test_a_reply_needs_a_text_template_of_the_service(console: Client, service: Service) -> None:
    text = got(service, "hello")
    others = factories.make_template(factories.make_service(), Channel.SMS)

    assert console.get(reply_to(text, factories.make_template(service))).status_code == 404
    assert console.get(reply_to(text, others)).status_code == 404


def test_a_sender_that_is_no_phone_number_gets_no_reply(console: Client, service: Service, template: Template) -> None:
    text = got(service, "hello", "PARCELS")

    answer = console.post(SEND, {"template": template.pk, "reply_to": text.pk, "kind": "real", "check": "yes"})

    assert answer.status_code == 422
    assert "Nothing was sent." in text_of(answer)


def field(answer: Any, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', answer.content.decode())
    assert found, name
    return found[1]


# The CSV file


def test_the_file_has_every_text_of_the_listed_conversations(console: Client, service: Service) -> None:
    first = got(service, "=first", minutes_ago=9)
    second = got(service, "second, of Ana", minutes_ago=8)
    got(service, "of Ben", BEN, minutes_ago=7)
    found = console.post(f"{LIST}search/", {"term": ANA}).headers["Location"].partition("?")[2]

    asked = console.get(f"{LIST}download/?{found}")
    answer = console.post(f"{LIST}download/?{found}")
    rows = list(csv.reader(answer.getvalue().decode().splitlines()))

    assert "The CSV file has 2 received texts within the filters of the list." in text_of(asked)
    assert rows == [
        ["Received at (UTC)", "From", "To", "Text", "Service", "Id"],
        ["2026-11-20 11:52:00", ANA, "447700900777", "second, of Ana", "Tides", str(second.pk)],
        ["2026-11-20 11:51:00", ANA, "447700900777", "'=first", "Tides", str(first.pk)],
    ]
    (event,) = AuditEvent.objects.filter(verb="downloaded_received_texts")
    line = audit_sentences.sentence(event, audit_sentences.names_of([event]))
    assert line == "mina@example.org downloaded the received texts of the service “Tides”"
    assert event.after == {"name": "Tides", "texts": 2}


def test_the_file_has_masked_numbers_without_the_role(service: Service) -> None:
    got(service, "hello")

    answer = colleague(service, Role.SEE_ACTIVITY).post(f"{LIST}download/")

    assert "44•••••123" in answer.getvalue().decode()
