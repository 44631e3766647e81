"""One callback over real HTTP: its body, the effect of each answer, and the schedule of retries."""

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from standardwebhooks import Webhook

from config.encryption import encrypt
from config.queue import publishing
from notifications import tasks
from notifications.delivery.callbacks import call, health
from notifications.models import (
    CallbackDelivery,
    CallbackEndpoint,
    CallbackKind,
    DeliveryState,
    Notification,
    PauseReason,
    ReceivedText,
    Status,
)
from notifications.models.callback_delivery import LOST
from notifications.tasks.callbacks import SWEEP_WAKES
from tests.factories import make_callback, make_notification, make_template
from tests.notifications.draining import drain_callbacks
from tests.receivers import RawServer, Receiver, stay_silent

pytestmark = pytest.mark.django_db

GOVUK_KINDS = [CallbackKind.DELIVERY_STATUS, CallbackKind.RECEIVED_TEXT_MESSAGE, CallbackKind.UNSUBSCRIBE_REQUEST]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
SCHEDULE = [timedelta(seconds=5), 5 * MINUTE, 30 * MINUTE, *(n * HOUR for n in (2, 5, 10, 14, 20, 24))]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def owe(url: str, **fields: Any) -> CallbackDelivery:
    """Return a delivered message whose service has a callback to `url`."""
    endpoint = make_callback(url=url, **fields)
    message = make_notification(make_template(endpoint.service), reference="order-1", recipient="Ana@Example.com")
    Notification.objects.filter(id=message.id).advance(Status.DELIVERED, timezone.now(), sent_at=timezone.now())
    return CallbackDelivery.objects.get(notification=message)


def make_due(delivery: CallbackDelivery) -> None:
    """Move the time to the next attempt."""
    CallbackDelivery.objects.filter(id=delivery.id).update(next_attempt_at=timezone.now() - MINUTE)


def test_a_status_is_posted_as_in_the_contract(receiver):
    delivery = owe(receiver.url)

    assert drain_callbacks() == set()

    message = delivery.notification
    message.refresh_from_db()
    [posted] = receiver.posted
    assert json.loads(posted.body) == {
        "id": str(message.id),
        "reference": "order-1",
        "to": "Ana@Example.com",
        "status": "delivered",
        "created_at": f"{message.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "completed_at": f"{message.completed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "sent_at": f"{message.sent_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "notification_type": "email",
        "template_id": str(message.template_id),
        "template_version": 1,
    }
    assert posted.headers["Content-Type"] == "application/json"
    assert posted.headers["Authorization"] == "Bearer token-0123456789"
    assert posted.headers["webhook-id"] == delivery.webhook_id
    assert "webhook-signature" not in posted.headers
    delivery.refresh_from_db()
    [attempt] = delivery.attempts
    assert (delivery.state, attempt["outcome"]) == (DeliveryState.ACCEPTED, "accepted")
    assert (attempt["status"], attempt["reply"]) == (200, "thanks")


def test_values_are_those_at_the_time_of_the_status(receiver):
    delivery = owe(receiver.url)
    Notification.objects.filter(id=delivery.notification_id).update(sent_at=None, completed_at=None, status="sending")

    drain_callbacks()

    told = json.loads(receiver.posted[0].body)
    assert told["status"] == "delivered"
    assert None not in (told["sent_at"], told["completed_at"])


def test_a_received_text_is_posted_as_in_the_contract(receiver):
    endpoint = make_callback(url=receiver.url, kind=CallbackKind.RECEIVED_TEXT_MESSAGE)
    text = ReceivedText.objects.create(
        service=endpoint.service, notify_number="447700900777", user_number="447700900123", content="Grüße 🐦"
    )
    CallbackDelivery.objects.owe_text(text)

    drain_callbacks()

    assert json.loads(receiver.posted[0].body) == {
        "id": str(text.id),
        "source_number": "447700900123",
        "destination_number": "447700900777",
        "message": "Grüße 🐦",
        "date_received": f"{text.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
    }


@pytest.mark.parametrize("kind", GOVUK_KINDS)
def test_a_test_event_has_the_form_of_the_real_one(receiver, kind):
    delivery = CallbackDelivery.objects.owe_test(make_callback(url=receiver.url, kind=kind))

    drain_callbacks()

    body = json.loads(receiver.posted[0].body)
    assert body["id"] == str(delivery.id)
    assert len(body) == (10 if kind == CallbackKind.DELIVERY_STATUS else 5)


def test_signatures_verify_with_the_public_library(receiver):
    owe(receiver.url, signing_secret=SECRET)

    drain_callbacks()

    [posted] = receiver.posted
    assert Webhook(SECRET).verify(posted.body, posted.headers) == json.loads(posted.body)
    assert posted.headers["Authorization"] == "Bearer token-0123456789"


def test_the_former_secret_signs_too_for_a_day(receiver):
    delivery = owe(receiver.url, signing_secret=SECRET)
    endpoint = delivery.endpoint
    endpoint.rotate_signing_secret(timezone.now() - 23 * HOUR)
    endpoint.save()
    new = endpoint.signing_secret

    drain_callbacks()

    [posted] = receiver.posted
    assert new != SECRET
    assert len(posted.headers["webhook-signature"].split(" ")) == 2
    for secret in (SECRET, new):
        assert Webhook(secret).verify(posted.body, posted.headers)


def test_the_former_secret_does_not_sign_after_a_day(receiver):
    delivery = owe(receiver.url, signing_secret=SECRET)
    delivery.endpoint.rotate_signing_secret(timezone.now() - 25 * HOUR)
    delivery.endpoint.save()
    new = delivery.endpoint.signing_secret

    drain_callbacks()

    [posted] = receiver.posted
    assert posted.headers["webhook-signature"].count("v1,") == 1
    assert Webhook(new).verify(posted.body, posted.headers)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_ends_a_callback(status):
    with Receiver(status, reply=b"") as receiver:
        delivery = owe(receiver.url)
        drain_callbacks()
        make_due(delivery)
        drain_callbacks()

    delivery.refresh_from_db()
    assert (delivery.state, len(receiver.posted)) == (DeliveryState.ACCEPTED, 1)
    assert delivery.finished_at is not None


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599])
def test_temporary_errors_are_retried(status):
    with Receiver(status, 200) as receiver:
        delivery = owe(receiver.url)

        retries = drain_callbacks()
        make_due(delivery)
        drain_callbacks()

    delivery.refresh_from_db()
    assert len(retries) == 1
    assert (delivery.state, len(receiver.posted)) == (DeliveryState.ACCEPTED, 2)
    assert [attempt["status"] for attempt in delivery.attempts] == [status, 200]


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 403, 404, 409, 410, 422])
def test_other_codes_are_not_retried(status):
    with Receiver(status) as receiver:
        delivery = owe(receiver.url)
        assert drain_callbacks() == set()
        make_due(delivery)
        drain_callbacks()

    delivery.refresh_from_db()
    assert (delivery.state, len(receiver.posted)) == (DeliveryState.GIVEN_UP, 1)
    assert delivery.attempts[0]["outcome"] == "permanent"


def test_a_refused_connection_is_retried_with_a_reason():
    with RawServer(stay_silent) as server:
        url = server.url

    delivery = owe(url)

    assert drain_callbacks()
    delivery.refresh_from_db()
    assert delivery.state == DeliveryState.WAITING
    assert (delivery.attempts[0]["status"], delivery.attempts[0]["reply"]) == (None, "The connection was refused.")


def test_a_name_in_a_private_network_is_not_called_and_has_a_reason(settings, receiver):
    settings.OUTBOUND_ALLOWED_NETWORKS = []
    delivery = owe(f"https://hooks.example.org:{receiver.port}/")

    assert call.make(CallbackDelivery.objects.claim_next(), resolve=lambda host, port: ["127.0.0.1"]) is not None

    delivery.refresh_from_db()
    assert receiver.posted == []
    assert delivery.attempts[0]["reply"] == "Not called: the URL must not lead to a private network."


def test_a_reply_is_stored_with_at_most_4096_printable_characters():
    with Receiver(200, reply=b"\x00\x1b[31m\xff" + b"x" * 9000) as receiver:
        delivery = owe(receiver.url)
        drain_callbacks()

    delivery.refresh_from_db()
    reply = delivery.attempts[0]["reply"]
    assert len(reply) == 4096
    assert reply.startswith("[31m�xxx")


@pytest.mark.fault("B9")
def test_a_failing_receiver_gets_every_event_by_the_schedule_with_one_webhook_id():
    with Receiver(500) as receiver:
        delivery = owe(receiver.url, signing_secret=SECRET)
        delays = []
        for _ in range(len(SCHEDULE)):
            before = timezone.now()
            drain_callbacks()
            delivery.refresh_from_db()
            delays.append(delivery.next_attempt_at - before)
            assert drain_callbacks() == set()  # not before its time
            make_due(delivery)
        drain_callbacks()

    delivery.refresh_from_db()
    slack = timedelta(seconds=5)  # for the call itself on a busy machine
    assert [
        planned * 0.8 <= delay <= planned * 1.2 + slack for planned, delay in zip(SCHEDULE, delays, strict=True)
    ] == [True] * len(SCHEDULE)
    assert (delivery.state, len(delivery.attempts), len(receiver.posted)) == (DeliveryState.GIVEN_UP, 10, 10)
    assert {posted.headers["webhook-id"] for posted in receiver.posted} == {delivery.webhook_id}
    assert {posted.body for posted in receiver.posted} == {receiver.posted[0].body}


def test_each_attempt_is_signed_with_its_own_time():
    with Receiver(500) as receiver:
        delivery = owe(receiver.url, signing_secret=SECRET)
        drain_callbacks()
        time.sleep(1.1)  # the timestamp has whole seconds
        make_due(delivery)
        drain_callbacks()

    first, second = receiver.posted
    assert int(first.headers["webhook-timestamp"]) < int(second.headers["webhook-timestamp"])
    assert [Webhook(SECRET).verify(one.body, one.headers)["status"] for one in (first, second)] == ["delivered"] * 2


def test_a_duplicate_wake_up_calls_once(receiver):
    delivery = owe(receiver.url)

    tasks.drain_callbacks()
    tasks.call_back(str(delivery.id))  # as named by the previous version

    assert len(receiver.posted) == 1


def test_a_callback_of_a_dead_worker_is_repeated_with_the_same_id(receiver):
    delivery = owe(receiver.url)
    held = CallbackDelivery.objects.claim_next()
    assert CallbackDelivery.objects.claim_next() is None
    CallbackDelivery.objects.filter(id=delivery.id).update(claimed_until=timezone.now() - MINUTE)

    drain_callbacks()

    delivery.refresh_from_db()
    assert [attempt["outcome"] for attempt in delivery.attempts] == ["uncertain", "accepted"]
    assert receiver.posted[0].headers["webhook-id"] == held.webhook_id
    assert not held.give_up(delivery.attempts[0])  # a late result changes nothing
    delivery.refresh_from_db()
    assert delivery.state == DeliveryState.ACCEPTED


def test_a_deleted_callback_is_not_an_error(receiver):
    delivery = owe(receiver.url)
    delivery.notification.delete()

    assert drain_callbacks() == set()
    assert receiver.posted == []


def test_secrets_that_cannot_be_decrypted_have_a_reason(receiver):
    delivery = owe(receiver.url)
    foreign = encrypt("token", table="other", column="other", row="other")
    CallbackEndpoint.objects.update(encrypted_bearer_token=foreign)

    assert drain_callbacks()

    delivery.refresh_from_db()
    assert "FIELD_KEYS lacks the key" in delivery.attempts[0]["reply"]
    assert receiver.posted == []


def test_a_failing_endpoint_gets_one_callback_at_a_time(receiver):
    first = owe(receiver.url)
    CallbackEndpoint.objects.update(failing_since=timezone.now())
    second = CallbackDelivery.objects.owe_test(first.endpoint)

    assert CallbackDelivery.objects.claim_next() == first
    assert CallbackDelivery.objects.claim_next() is None
    CallbackEndpoint.objects.update(failing_since=None)
    assert CallbackDelivery.objects.claim_next() == second


@pytest.mark.fault("B9")
def test_failing_endpoints_share_one_callback_and_do_not_delay_others():
    one, another = (make_callback(failing_since=timezone.now()) for _ in range(2))
    well = make_callback()
    first, second, third = (CallbackDelivery.objects.owe_test(endpoint) for endpoint in (one, another, well))
    held = CallbackDelivery.objects.claim_next([well.id, another.id])

    meanwhile = [CallbackDelivery.objects.claim_next() for _ in range(2)]
    held.accept(LOST)

    assert held == first
    assert meanwhile == [third, None]
    assert CallbackDelivery.objects.claim_next() == second


def test_one_callback_does_not_wait_behind_a_hundred_of_another_endpoint():
    busy, quiet = make_callback(), make_callback()
    for endpoint, count in ((busy, 100), (quiet, 1)):
        for _ in range(count):
            CallbackDelivery.objects.owe_test(endpoint)

    claims = [CallbackDelivery.objects.claim_next(), CallbackDelivery.objects.claim_next([busy.id])]

    assert quiet.id in {claim.endpoint_id for claim in claims}


def test_endpoints_with_backlogs_are_called_in_turn(receiver):
    endpoints = [make_callback(url=f"{receiver.url}/{number}") for number in range(3)]
    for endpoint in endpoints:
        for _ in range(4):
            CallbackDelivery.objects.owe_test(endpoint)

    drain_callbacks()

    called = [posted.path for posted in receiver.posted]
    assert [len(set(called[n : n + 3])) for n in range(0, 12, 3)] == [3, 3, 3, 3]
    assert not CallbackDelivery.objects.exclude(state=DeliveryState.ACCEPTED).exists()


def test_the_sweep_wakes_a_worker_for_each_callback_that_is_due(django_capture_on_commit_callbacks):
    for _ in range(3):
        CallbackDelivery.objects.owe_test(make_callback())
    later = CallbackDelivery.objects.owe_test(make_callback())
    CallbackDelivery.objects.filter(id=later.id).update(next_attempt_at=timezone.now() + HOUR)
    before = publishing.waiting("callbacks")["callbacks"]

    with django_capture_on_commit_callbacks(execute=True):
        published = [tasks.wake_for_due_callbacks()]
    with django_capture_on_commit_callbacks(execute=True):
        published.append(tasks.wake_for_due_callbacks())

    assert published[0] == min(3, SWEEP_WAKES - before)
    assert publishing.waiting("callbacks")["callbacks"] == before + sum(published) <= SWEEP_WAKES


def test_a_paused_endpoint_only_gets_test_events_and_the_others_after_it_resumes(receiver):
    delivery = owe(receiver.url)
    health.pause(delivery.endpoint, PauseReason.GONE)
    trial = CallbackDelivery.objects.owe_test(delivery.endpoint)

    drain_callbacks()

    assert [posted.headers["webhook-id"] for posted in receiver.posted] == [trial.webhook_id]
    assert not CallbackDelivery.objects.due().exists()
    CallbackEndpoint.objects.update(paused_at=None)
    assert CallbackDelivery.objects.due().get() == delivery
    drain_callbacks()
    assert len(receiver.posted) == 2


def test_an_ended_callback_can_be_restarted_with_the_same_id():
    with Receiver(404, 200) as receiver:
        delivery = owe(receiver.url)
        drain_callbacks()

        assert CallbackDelivery.objects.filter(id=delivery.id).repeat() == 1
        drain_callbacks()

    delivery.refresh_from_db()
    assert (delivery.state, [one["status"] for one in delivery.attempts]) == (DeliveryState.ACCEPTED, [404, 200])
    assert len({posted.headers["webhook-id"] for posted in receiver.posted}) == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_call_once():
    with Receiver() as receiver:
        owe(receiver.url)
        both = [threading.Thread(target=_call_in_thread) for _ in range(4)]
        for one in both:
            one.start()
        for one in both:
            one.join()

    assert len(receiver.posted) == 1


def _call_in_thread() -> None:
    try:
        drain_callbacks()
    finally:
        connection.close()


def test_moments_are_written_in_utc_with_six_digits(receiver):
    owe(receiver.url)
    CallbackDelivery.objects.update(completed_at=datetime(2026, 11, 20, 9, tzinfo=UTC))

    drain_callbacks()

    assert json.loads(receiver.posted[0].body)["completed_at"] == "2026-11-20T09:00:00.000000Z"
