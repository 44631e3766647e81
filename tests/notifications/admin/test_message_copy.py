"""*Send a copy to me* on a message's page. Source: docs/reference/console.md §2.10."""

import html
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from config.audit.models import AuditEvent
from config.console.audit_sentences import sentence
from notifications.models import Channel, KeyType, Notification, Role, Service, Status
from tests.factories import make_notification, make_service, make_template
from tests.notifications.download.sending import send_file
from tests.people import browser_of, colleague, join, make_person


@pytest.fixture
def service(db: None) -> Service:
    return make_service(name="Tides")


@pytest.fixture
def mina(service: Service) -> User:
    user = make_person("mina")
    join(user, service, Role.SEND_MESSAGES, Role.SEE_ACTIVITY)
    return user


def url(message: Notification, word: str = "change") -> str:
    return reverse(f"admin:notifications_notification_{word}", args=[message.pk])


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def test_an_email_is_copied_to_the_person(mina: User, service: Service) -> None:
    browser = browser_of(mina)
    template = make_template(service, unsubscribe_link=True)
    fields = {"reference": "case-7", "body": "Bring salt", "one_click_unsubscribe_url": "https://example.org/ana"}
    message = make_notification(template, status=Status.DELIVERED, key_type=KeyType.TEST, **fields)
    assert url(message, "copy") in text_of(browser.get(url(message)))
    assert "The email is sent to mina@example.org" in text_of(browser.get(url(message, "copy")))

    answer = browser.post(url(message, "copy"), follow=True)

    new = Notification.objects.exclude(pk=message.pk).get()
    assert answer.redirect_chain[0][0] == url(new)
    assert (new.recipient, new.body, new.subject) == ("mina@example.org", "Bring salt", "Hello")
    assert (new.key_type, new.status, new.created_by) == (KeyType.LIVE, Status.CREATED, "mina@example.org")
    assert (new.reference, new.one_click_unsubscribe_url) == (None, None)
    assert "mina sent a copy of" in sentence(AuditEvent.objects.get(verb="copied_message"))


def test_a_text_message_is_copied_if_the_team_has_the_phone_number(mina: User, service: Service) -> None:
    browser = browser_of(mina)
    message = make_notification(make_template(service, Channel.SMS))
    assert "Send a copy to me" not in text_of(browser.get(url(message)))
    assert "You have no phone number in the team" in text_of(browser.post(url(message, "copy")))

    service.team.filter(user=mina).update(phone_number="07700 900321", normalised_phone="447700900321")
    browser.post(url(message, "copy"))

    assert Notification.objects.exclude(pk=message.pk).get().normalised_recipient == "447700900321"


def test_redacted_messages_and_messages_with_files_are_not_copied(mina: User, service: Service) -> None:
    browser = browser_of(mina)
    redacted = make_notification(make_template(service, redact_personalisation=True))
    filed = make_notification(make_template(service))
    send_file(service, notification_id=filed.pk, created_at=filed.created_at)

    assert "Send a copy to me" not in text_of(browser.get(url(redacted)))
    assert "redacts personal details" in text_of(browser.post(url(redacted, "copy")))
    assert "This message has a file." in text_of(browser.post(url(filed, "copy")))
    assert Notification.objects.count() == 2


def test_the_copy_is_checked_like_any_message(mina: User, service: Service) -> None:
    Service.objects.filter(pk=service.pk).update(daily_limit_email=0)
    message = make_notification(make_template(service))

    answer = browser_of(mina).post(url(message, "copy"))

    assert "The copy was not sent. Exceeded send limits" in text_of(answer)


def test_only_people_who_may_send_can_copy(service: Service) -> None:
    message = make_notification(make_template(service))
    reader, stranger = colleague(service, Role.SEE_ACTIVITY), colleague(make_service(), *Role)

    assert "Send a copy to me" not in text_of(reader.get(url(message)))
    assert reader.post(url(message, "copy")).status_code == 403
    assert stranger.post(url(message, "copy")).status_code == 404
