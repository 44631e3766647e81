"""What suppresses a recipient by itself. Source: docs/reference/suppressions.md §2."""

import json
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from notifications.delivery import suppressions
from notifications.delivery.unsubscribe_links import url
from notifications.models import (
    Channel,
    KeyType,
    Notification,
    Status,
    Suppression,
    SuppressionReason,
    SuppressionSource,
    Template,
)
from tests.factories import make_notification, make_template
from tests.notifications.delivery.mail_servers import ScriptedServer
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db

TOKEN = "a-token-of-the-gateway"
ANA = "ana@example.com"


def is_reported(outcome: str, code: str = "", **fields: Any) -> Notification:
    """Return a message after a delivery receipt of its provider."""
    values = {"status": Status.SENDING, "provider": "gateway-1", "sent_at": timezone.now()}
    message = make_notification(**values | fields)
    body = {"id": str(message.id), "outcome": outcome, **({"code": code} if code else {})}
    with override_settings(PROVIDERS=[f"gateway-1=https://gateway.example.org/messages?token={TOKEN}"]):
        answer = Client().post(
            "/providers/gateway-1/receipt",
            json.dumps(body),
            content_type="application/json",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
    assert answer.status_code < 300
    return message


def next_status(template: Template, **fields: Any) -> str:
    """Send another message to Ana and return its status."""
    message = make_notification(template, **fields)
    drain_messages()
    message.refresh_from_db()
    return message.status


@pytest.mark.parametrize(
    ("outcome", "code", "reason"),
    [
        ("complaint", "", SuppressionReason.COMPLAINT),
        ("permanent-failure", "5.1.1", SuppressionReason.HARD_BOUNCE),
        ("permanent-failure", "bounced", SuppressionReason.HARD_BOUNCE),
        ("permanent-failure", "invalid", SuppressionReason.HARD_BOUNCE),
        ("permanent-failure", "5.2.2", None),
        ("permanent-failure", "5.1.8", None),
        ("permanent-failure", "blocked", None),
        ("permanent-failure", "", None),
        ("temporary-failure", "5.1.1", None),
        ("delivered", "", None),
    ],
)
def test_an_event_of_a_provider_suppresses_the_recipient(
    outcome: str, code: str, reason: SuppressionReason | None
) -> None:
    message = is_reported(outcome, code)

    if reason is None:
        assert not Suppression.objects.exists()
        assert next_status(message.template) == Status.DELIVERED
        return
    row = Suppression.objects.get()
    assert (row.service, row.channel, row.recipient, row.reason) == (message.service, "email", ANA, reason)
    assert (row.source, row.notification_id, row.note) == (SuppressionSource.PROVIDER, message.id, code)
    assert row.expires_at is None
    assert next_status(message.template) == Status.PERMANENT_FAILURE


def test_a_text_message_suppresses_nobody() -> None:
    is_reported("permanent-failure", "5.1.1", template=make_template(channel=Channel.SMS))

    assert not Suppression.objects.exists()


def test_an_event_about_a_test_message_suppresses_nobody() -> None:
    is_reported("complaint", key_type=KeyType.TEST)

    assert not Suppression.objects.exists()


def test_a_second_event_changes_nothing() -> None:
    first = is_reported("complaint")
    is_reported("complaint", template=first.template)

    assert Suppression.objects.get().notification_id == first.id


@pytest.mark.parametrize(
    ("reply", "is_suppressed"),
    [("550 5.1.1 No such user", True), ("550 5.7.1 Not from you", False), ("550 No such user", False)],
)
def test_a_mail_server_that_rejects_the_email_address_suppresses_it(
    settings: Any, reply: str, is_suppressed: bool
) -> None:
    message = make_notification()
    server = ScriptedServer(RCPT=reply)
    settings.PROVIDERS = [f"mail={server.url}"]
    drain_messages()
    server.stop()

    message.refresh_from_db()
    assert message.status == Status.PERMANENT_FAILURE
    assert Suppression.objects.exists() is is_suppressed
    if is_suppressed:
        assert Suppression.objects.get().note == reply


@pytest.mark.parametrize("body", [{}, {"List-Unsubscribe": "One-Click"}], ids=["page", "one-click"])
def test_an_unsubscribe_stops_subscription_emails_only(body: dict[str, str]) -> None:
    template = make_template(unsubscribe_link=True)
    message = make_notification(template, "Ana@Example.com", unsubscribe_link=True)
    path = "/unsubscribe/" + url(message).rpartition("/unsubscribe/")[2]

    Client().post(path, body)
    Client().post(path, body)

    row = Suppression.objects.get()
    assert (row.recipient, row.normalised_recipient) == ("Ana@Example.com", ANA)
    assert (row.reason, row.source) == (SuppressionReason.UNSUBSCRIBE, SuppressionSource.RECIPIENT)
    assert (row.service, row.notification_id) == (template.service, message.id)
    another = make_template(template.service, unsubscribe_link=True)
    assert next_status(another, unsubscribe_link=True) == Status.PERMANENT_FAILURE
    assert next_status(make_template(template.service)) == Status.DELIVERED
    assert next_status(make_template(unsubscribe_link=True), unsubscribe_link=True) == Status.DELIVERED


@pytest.mark.parametrize(
    ("code", "is_hard"),
    [
        *[(code, True) for code in ("5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "550 5.1.1 x", "553-5.1.2")],
        *[(code, False) for code in ("5.1.5", "5.1.7", "5.1.9", "4.1.1", "5.11.1", "550 see 5.1.1", "15.1.1", "2.1.5")],
    ],
)
def test_a_hard_bounce_is_about_the_email_address(code: str, is_hard: bool) -> None:
    assert suppressions.is_hard_bounce(code) is is_hard
