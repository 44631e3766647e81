"""The request of a message as code to copy. Source: docs/reference/console.md §2.10."""

import html
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from notifications.models import BulkRow, Channel, Notification, Role
from tests.factories import (
    make_bulk_send,
    make_notification,
    make_reply_to,
    make_service,
    make_sms_sender,
    make_template,
)
from tests.people import colleague

pytestmark = pytest.mark.django_db


def url(message: Notification) -> str:
    return reverse("admin:notifications_notification_code", args=[message.pk])


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def test_the_request_of_an_email_has_its_options_and_no_key(console: Client) -> None:
    template = make_template(make_service())
    reply_to = make_reply_to(template.service, is_default=False)
    message = make_notification(template, reference="case '7'", reply_to=reply_to)
    change = reverse("admin:notifications_notification_change", args=[message.pk])
    assert url(message) in text_of(console.get(change))

    page = text_of(console.get(url(message)))

    assert f'"email_address": "ana@example.com", "template_id": "{template.pk}"' in page
    assert f'"email_reply_to_id": "{reply_to.pk}"' in page
    assert '"reference": "case \\u00277\\u0027"' in page
    assert f"email_address='ana@example.com',\n    template_id='{template.pk}'" in page
    assert f'"emailReplyToId": "{reply_to.pk}"' in page
    assert "paste-a-test-key-here" in page
    assert '"personalisation": {"name": "a name"}' in page
    assert "We do not store the values of the personalisation" in page


def test_the_default_sender_is_left_out(console: Client) -> None:
    template = make_template(channel=Channel.SMS)
    message = make_notification(template, sms_sender=make_sms_sender(template.service))

    page = text_of(console.get(url(message)))

    assert '"phone_number": "07700 900123"' in page
    assert "sms_sender_id" not in page


@pytest.mark.parametrize("is_redacted", [False, True])
def test_the_values_of_a_bulk_row_are_shown_unless_they_are_redacted(console: Client, is_redacted: bool) -> None:
    template = make_template(redact_personalisation=is_redacted)
    row = BulkRow.objects.create(bulk_send=make_bulk_send(template), number=2, cells=["ana@example.com", "Anastasia"])
    message = make_notification(template, bulk_row=row)

    page = text_of(console.get(url(message)))

    assert ('"name": "Anastasia"' in page) != is_redacted
    assert ('"name": "[hidden]"' in page) == is_redacted
    assert ("the values are hidden" in page) == is_redacted


def test_the_recipient_is_shown_by_role_and_other_services_are_not() -> None:
    message = make_notification()
    reader, stranger = colleague(message.service, Role.SEE_ACTIVITY), colleague(make_service(), *Role)

    page = text_of(reader.get(url(message)))

    assert "ana@example.com" not in page
    assert "you@example.org" in page
    assert stranger.get(url(message)).status_code == 404
