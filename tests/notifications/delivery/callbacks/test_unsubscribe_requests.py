"""The callback for an unsubscribe request: stored once, signed, retried, and kept as long as its request."""

import json
from datetime import UTC, timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from standardwebhooks import Webhook

from notifications.delivery.unsubscribe_links import LinkedEmail
from notifications.models import CallbackDelivery, CallbackEndpoint, CallbackKind, DeliveryState, UnsubscribeRequest
from notifications.submission.suppressions.unsubscribe_requests import confirm
from tests.cleaning import clean_up
from tests.factories import make_callback, make_notification, make_template
from tests.notifications.draining import drain_callbacks
from tests.receivers import Receiver

pytestmark = pytest.mark.django_db

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def endpoint_at(url: str = "https://hooks.example.org/") -> CallbackEndpoint:
    return make_callback(url=url, kind=CallbackKind.UNSUBSCRIBE_REQUEST, signing_secret=SECRET)


def confirmed(endpoint: CallbackEndpoint) -> UnsubscribeRequest:
    message = make_notification(make_template(endpoint.service), recipient="Ana@Example.com")
    return confirm(LinkedEmail.of(message))


def test_a_request_is_posted_with_a_signature():
    with Receiver() as receiver:
        endpoint = endpoint_at(receiver.url)
        request = confirmed(endpoint)
        delivery = CallbackDelivery.objects.get()
        drain_callbacks()

    [posted] = receiver.posted
    assert json.loads(posted.body) == {
        "id": str(request.id),
        "notification_id": str(request.notification_id),
        "template_id": str(request.template_id),
        "email_address": "Ana@Example.com",
        "created_at": f"{request.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
    }
    assert Webhook(SECRET).verify(posted.body, dict(posted.headers))
    assert posted.headers["Authorization"] == "Bearer token-0123456789"
    delivery.refresh_from_db()
    assert delivery.state == DeliveryState.ACCEPTED


def test_a_second_confirmation_adds_no_callback():
    endpoint = endpoint_at()
    message = make_notification(make_template(endpoint.service))

    for _ in range(2):
        confirm(LinkedEmail.of(message))

    assert CallbackDelivery.objects.count() == 1


def test_only_an_endpoint_of_this_kind_and_service_is_called():
    endpoint, other = endpoint_at(), endpoint_at()
    for kind in (CallbackKind.DELIVERY_STATUS, CallbackKind.RECEIVED_TEXT_MESSAGE):
        make_callback(endpoint.service, kind=kind)

    confirmed(other)

    assert [owed.endpoint for owed in CallbackDelivery.objects.all()] == [other]


def test_a_rolled_back_request_has_no_callback():
    endpoint = endpoint_at()

    with transaction.atomic():
        confirmed(endpoint)
        transaction.set_rollback(True)

    assert not UnsubscribeRequest.objects.exists()
    assert not CallbackDelivery.objects.exists()


def test_a_failed_callback_is_retried_and_can_be_sent_again_with_its_id():
    with Receiver(503, 200) as receiver:
        endpoint = endpoint_at(receiver.url)
        confirmed(endpoint)
        delivery = CallbackDelivery.objects.get()
        assert drain_callbacks()
        CallbackDelivery.objects.update(next_attempt_at=timezone.now() - timedelta(minutes=1))
        drain_callbacks()
        assert CallbackDelivery.objects.filter(id=delivery.id).repeat() == 1
        drain_callbacks()

    assert {posted.headers["webhook-id"] for posted in receiver.posted} == {delivery.webhook_id}
    assert len({posted.body for posted in receiver.posted}) == 1
    assert len(receiver.posted) == 3


def test_a_paused_endpoint_gets_test_events_only():
    with Receiver() as receiver:
        endpoint = endpoint_at(receiver.url)
        CallbackEndpoint.objects.update(paused_at=timezone.now())
        confirmed(endpoint)
        drain_callbacks()
        assert receiver.posted == []

        test = CallbackDelivery.objects.owe_test(endpoint)
        drain_callbacks()

    [posted] = receiver.posted
    body = json.loads(posted.body)
    assert (body["id"], body["template_id"]) == (str(test.id), "00000000-0000-0000-0000-000000000000")
    assert body["email_address"] == "test@signalbox.invalid"


def test_clean_up_of_test_events_keeps_events_of_requests():
    endpoint = endpoint_at()
    confirmed(endpoint)
    CallbackDelivery.objects.owe_test(endpoint)
    CallbackDelivery.objects.update(created_at=timezone.now() - timedelta(days=8))

    clean_up("callback-tests")

    [left] = CallbackDelivery.objects.all()
    assert left.unsubscribe_request == UnsubscribeRequest.objects.get()


def test_a_callback_is_deleted_with_its_request():
    endpoint = endpoint_at()
    message = make_notification(make_template(endpoint.service))
    confirm(LinkedEmail.of(message))

    message.delete()
    assert CallbackDelivery.objects.count() == 1
    UnsubscribeRequest.objects.get().delete()

    assert not CallbackDelivery.objects.exists()
