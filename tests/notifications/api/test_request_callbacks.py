"""`callback` in the body of a send: checked, encrypted, and called with the final status of that message alone."""

import json
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks import Webhook

from notifications.models import (
    CallbackDelivery,
    CallbackEndpoint,
    CallbackKind,
    DeliveryState,
    KeyType,
    Notification,
    RequestCallback,
    Service,
    Status,
)
from notifications.submission.sending import retry
from tests.factories import make_callback, make_notification, make_template
from tests.notifications.calling import Caller, email_template, make_caller, messages, sms_template
from tests.notifications.draining import drain_callbacks, drain_messages
from tests.receivers import Receiver

pytestmark = pytest.mark.django_db

TOKEN = "request-0123456789"
URL = "https://hooks.example.org/case/7"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def of(url: str = URL, token: str = TOKEN) -> dict[str, str]:
    return {"url": url, "bearer_token": token}


def message_with_callback(service: Service, url: str = URL) -> Notification:
    message = make_notification(make_template(service))
    RequestCallback.objects.store(RequestCallback.of(message.pk, url, TOKEN), service)
    return message


def advance(message: Notification, status: Status = Status.DELIVERED) -> None:
    Notification.objects.filter(pk=message.pk).advance(status, timezone.now())


@pytest.mark.parametrize("key_type", [KeyType.LIVE, KeyType.TEST])
def test_the_final_status_is_posted_to_the_url_of_the_request(key_type: KeyType) -> None:
    caller = make_caller(key_type=key_type)
    template = email_template(caller)
    with Receiver() as receiver:
        answer = caller.send_email(template, callback=of(receiver.url), reference="case-7")
        caller.send_email(template)
        drain_messages()
        drain_callbacks()

    [posted] = receiver.posted
    body = json.loads(posted.body)
    assert (answer.status_code, body["id"], body["status"]) == (201, answer.json()["id"], "delivered")
    assert (body["reference"], len(body)) == ("case-7", 10)
    assert posted.headers["Authorization"] == f"Bearer {TOKEN}"
    assert CallbackDelivery.objects.get().state == DeliveryState.ACCEPTED


def test_endpoints_of_the_service_get_their_events_beside_it(caller: Caller) -> None:
    usual = make_callback(caller.service)
    own, other = message_with_callback(caller.service), make_notification(make_template(caller.service))

    for message in (own, other):
        advance(message)

    owed = set(CallbackDelivery.objects.values_list("notification", "endpoint__kind"))
    assert owed == {(own.pk, "delivery_status"), (own.pk, "request"), (other.pk, "delivery_status")}
    assert usual.deliveries.count() == 2


def test_only_final_statuses_are_reported(caller: Caller) -> None:
    message = message_with_callback(caller.service)

    for status in (Status.SENDING, Status.PENDING, Status.TEMPORARY_FAILURE):
        advance(message, status)

    assert list(CallbackDelivery.objects.values_list("status", flat=True)) == [Status.TEMPORARY_FAILURE]


def test_the_service_may_sign_the_callbacks_of_its_requests(caller: Caller) -> None:
    with Receiver() as receiver:
        message = message_with_callback(caller.service, receiver.url)
        endpoint = CallbackEndpoint.objects.get()
        endpoint.encrypted_signing_secret = endpoint.encrypt("signing_secret", SECRET)
        endpoint.save()
        advance(message)
        drain_callbacks()

    [posted] = receiver.posted
    assert Webhook(SECRET).verify(posted.body, dict(posted.headers))


def test_a_url_that_is_gone_does_not_stop_the_others(caller: Caller) -> None:
    with Receiver(410, 200) as receiver:
        for _ in range(2):
            advance(message_with_callback(caller.service, receiver.url))
        drain_callbacks()

    endpoint = CallbackEndpoint.objects.get()
    states = CallbackDelivery.objects.order_by("state").values_list("state", flat=True)
    assert (endpoint.paused_at, list(states)) == (None, [DeliveryState.ACCEPTED, DeliveryState.GIVEN_UP])


def test_the_token_is_encrypted_and_goes_with_the_message(caller: Caller) -> None:
    answer = caller.send_email(email_template(caller), callback=of())

    callback = RequestCallback.objects.get()
    assert callback.bearer_token == TOKEN
    assert TOKEN.encode() not in bytes(callback.encrypted_bearer_token)
    assert (
        TOKEN not in answer.content.decode() + caller.get(f"/v2/notifications/{answer.json()['id']}").content.decode()
    )

    Notification.objects.all().delete()
    assert not RequestCallback.objects.exists()
    assert CallbackEndpoint.objects.get().kind == CallbackKind.REQUEST


def test_many_requests_share_one_row_of_the_service(caller: Caller) -> None:
    template = sms_template(caller)

    for number in range(3):
        assert caller.send_sms(template, callback=of(f"{URL}/{number}")).status_code == 201

    assert CallbackEndpoint.objects.count() == 1
    assert RequestCallback.objects.count() == 3


INCOMPLETE = "callback must be an object with only url and bearer_token, both of type string"


@pytest.mark.parametrize(
    ("callback", "error"),
    [
        (None, INCOMPLETE),
        (URL, INCOMPLETE),
        ({"url": URL}, INCOMPLETE),
        ({**of(), "events": []}, INCOMPLETE),
        ({"url": URL, "bearer_token": 1234567890}, INCOMPLETE),
        (of("http://hooks.example.org/"), "callback url must start with https://"),
        (of("https://10.0.0.1/"), "callback url must not lead to a private network"),
        (of("https://user:secret@example.org/"), "callback url must not contain a user name or password"),
        (of("hooks"), "callback url must be a URL such as https://example.org/callback"),
        (
            of(token="short"),
            "callback bearer_token must have 10 to 2000 letters, digits or symbols, without spaces and accents",
        ),
    ],
)
def test_wrong_callbacks_are_rejected_before_anything_is_stored(caller: Caller, callback: Any, error: str) -> None:
    answer = caller.send_email(email_template(caller), callback=callback)

    assert (answer.status_code, messages(answer)) == (400, [error])
    assert not Notification.objects.exists()
    assert not CallbackEndpoint.objects.exists()


def test_a_dry_run_checks_the_callback_and_stores_nothing(caller: Caller) -> None:
    body = {"phone_number": "07700900123", "template_id": str(sms_template(caller).id)}

    good, bad = (
        caller.post("/v2/notifications/sms?dry_run=true", body | {"callback": callback}).json()
        for callback in (of(), of(token="short"))
    )

    assert (good["accepted"], bad["accepted"]) == (True, False)
    assert "callback bearer_token must have" in json.dumps(bad["checks"])
    assert not CallbackEndpoint.objects.exists()


def test_the_url_of_a_request_must_not_lead_to_a_private_network_when_it_is_called(caller: Caller, settings) -> None:
    with Receiver() as receiver:
        advance(message_with_callback(caller.service, receiver.url))
        settings.OUTBOUND_ALLOWED_NETWORKS = []
        drain_callbacks()

    assert receiver.posted == []
    assert "Not called: the URL" in CallbackDelivery.objects.get().attempts[0]["reply"]


def test_a_retry_of_a_failed_message_has_the_callback_of_its_request(caller: Caller) -> None:
    message = message_with_callback(caller.service)
    advance(message, Status.TECHNICAL_FAILURE)
    message.refresh_from_db()

    again = retry.retry(message, "mina")

    callback = RequestCallback.objects.get(notification=again.pk)
    assert (callback.url, callback.bearer_token) == (URL, TOKEN)


def test_the_fallback_of_a_failed_text_has_the_callback_of_its_request(caller: Caller) -> None:
    fallback = {"email_address": "ana@example.com", "template_id": str(email_template(caller).id)}
    text = caller.send_sms(sms_template(caller), callback=of(), fallback=fallback).json()["id"]

    Notification.objects.filter(pk=text).advance(Status.PERMANENT_FAILURE, timezone.now())

    email = Notification.objects.get(channel="email")
    callback = RequestCallback.objects.get(notification=email.pk)
    assert (callback.url, callback.bearer_token) == (URL, TOKEN)
    assert [str(owed.notification_id) for owed in CallbackDelivery.objects.all()] == [text]
