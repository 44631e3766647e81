"""A final status or received text stores one callback in its transaction, and none without an endpoint."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from config.jobs import rules
from notifications import tasks
from notifications.delivery.messages import IncomingText, Receipt, ReceiptOutcome
from notifications.delivery.status import take_in
from notifications.jobs import retention
from notifications.models import (
    CallbackDelivery,
    CallbackKind,
    Channel,
    DeliveryState,
    KeyType,
    Notification,
    ReceivedText,
    Service,
    Status,
)
from notifications.models.callback_owing import callbacks_stored
from notifications.submission import receiving
from tests.factories import make_callback, make_notification, make_service, make_sms_sender, make_template
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db


def make_message(service: Service, **fields):
    return make_notification(make_template(service), **fields)


def advance(message: Notification, status: Status) -> int:
    return Notification.objects.filter(id=message.id).advance(status, timezone.now())


@pytest.mark.parametrize("key_type", list(KeyType))
def test_a_delivered_message_has_one_callback_with_its_times(key_type):
    endpoint = make_callback()
    message = make_message(endpoint.service, key_type=key_type)

    drain_messages()
    drain_messages()

    message.refresh_from_db()
    [owed] = CallbackDelivery.objects.all()
    assert (owed.endpoint, owed.notification, owed.status) == (endpoint, message, Status.DELIVERED)
    assert (owed.sent_at, owed.completed_at) == (message.sent_at, message.completed_at)
    assert owed.state == DeliveryState.WAITING


@pytest.mark.parametrize(
    ("status", "owed"),
    [
        (Status.SENDING, 0),
        (Status.SENT, 0),
        (Status.DELIVERED, 1),
        (Status.TEMPORARY_FAILURE, 1),
        (Status.PERMANENT_FAILURE, 1),
        (Status.TECHNICAL_FAILURE, 1),
    ],
)
def test_only_final_statuses_have_a_callback(status, owed):
    message = make_message(make_callback().service)

    advance(message, status)

    assert CallbackDelivery.objects.count() == owed


def test_pending_and_repeated_or_late_receipts_have_no_callback():
    message = make_message(make_callback().service, status=Status.SENDING)

    moved = [advance(message, status) for status in (
        Status.PENDING, Status.DELIVERED, Status.DELIVERED, Status.PERMANENT_FAILURE, Status.PENDING)]  # fmt: skip

    assert moved == [1, 1, 0, 0, 0]
    assert [owed.status for owed in CallbackDelivery.objects.all()] == [Status.DELIVERED]


def test_repeated_reordered_and_unknown_receipts_cause_one_callback():
    message = make_message(make_callback().service, status=Status.SENDING, provider="sms", provider_reference="r-1")
    delivered, pending = (
        Receipt(outcome=outcome, reference="r-1") for outcome in (ReceiptOutcome.DELIVERED, ReceiptOutcome.PENDING)
    )
    stranger = Receipt(outcome=ReceiptOutcome.DELIVERED, reference="r-2")

    take_in(
        "sms", [delivered, pending, delivered, stranger, Receipt(outcome=ReceiptOutcome.COMPLAINT, reference="r-1")]
    )
    take_in("other", [Receipt(outcome=ReceiptOutcome.PERMANENT_FAILURE, reference="r-1")])

    [owed] = CallbackDelivery.objects.all()
    assert (owed.notification, owed.status) == (message, Status.DELIVERED)
    assert owed.sent_at is not None


def test_a_service_gets_callbacks_for_its_own_messages_only():
    endpoint, other = make_callback(), make_callback()
    make_callback(endpoint.service, kind=CallbackKind.RECEIVED_TEXT_MESSAGE)

    advance(make_message(other.service), Status.DELIVERED)

    assert [owed.endpoint for owed in CallbackDelivery.objects.all()] == [other]


def test_messages_without_a_receipt_have_a_callback_too(settings):
    settings.PROVIDERS = ["gateway-1=https://gateway.example.org?token=t"]
    service = make_callback().service
    silent = timezone.now() - timedelta(hours=73)
    for _ in range(3):
        make_message(service, status=Status.SENDING, sent_at=silent, provider="gateway-1")
    make_message(make_service(), status=Status.SENDING, sent_at=silent)

    tasks.close_without_receipt()

    told = CallbackDelivery.objects.values_list("status", "sent_at")
    assert list(told) == [(Status.TEMPORARY_FAILURE, silent)] * 3


def test_a_rolled_back_status_has_no_callback():
    message = make_message(make_callback().service)

    with transaction.atomic():
        advance(message, Status.DELIVERED)
        transaction.set_rollback(True)

    assert CallbackDelivery.objects.count() == 0


def test_a_service_without_callbacks_needs_no_more_queries(django_assert_num_queries):
    lonely, talkative = (make_message(make_service(), key_type=KeyType.TEST) for _ in range(2))
    make_callback(talkative.service)

    with django_assert_num_queries(4):  # savepoint, lookup and lock, change, savepoint
        advance(lonely, Status.DELIVERED)
    with django_assert_num_queries(7):  # also the new status, the endpoints, and the row
        advance(talkative, Status.DELIVERED)


def test_a_received_text_has_a_callback():
    service = make_service()
    make_sms_sender(service, "07700 900777")
    endpoint = make_callback(service, kind=CallbackKind.RECEIVED_TEXT_MESSAGE)

    receiving.receive(IncomingText(sender="07700900123", recipient="07700 900777", content="Hello"))

    [owed] = CallbackDelivery.objects.all()
    assert (owed.endpoint, owed.received_text) == (endpoint, ReceivedText.objects.get())


def test_a_received_text_needs_an_endpoint_of_its_kind():
    service = make_callback().service
    make_sms_sender(service, "07700 900777")

    receiving.receive(IncomingText(sender="07700900123", recipient="07700 900777", content="Hello"))

    assert (ReceivedText.objects.count(), CallbackDelivery.objects.count()) == (1, 0)


def test_callbacks_are_deleted_with_their_messages_and_texts():
    service = make_service(retention_days=7)
    make_sms_sender(service, "07700 900777")
    make_callback(service)
    make_callback(service, kind=CallbackKind.RECEIVED_TEXT_MESSAGE)
    old = timezone.now() - timedelta(days=9)
    advance(make_notification(make_template(service, Channel.SMS), created_at=old), Status.DELIVERED)
    receiving.store(service, IncomingText(sender="1", recipient="2", content="Hello"), at=old)
    advance(make_message(service), Status.DELIVERED)
    assert CallbackDelivery.objects.count() == 3

    for _ in retention.purge():
        pass

    assert [owed.notification.created_at > old for owed in CallbackDelivery.objects.all()] == [True]


def test_test_events_are_removed_after_a_week():
    endpoint = make_callback()
    old, new = (CallbackDelivery.objects.owe_test(endpoint) for _ in range(2))
    CallbackDelivery.objects.filter(id=old.id).update(created_at=timezone.now() - timedelta(days=7, minutes=1))
    advance(make_message(endpoint.service, created_at=timezone.now() - timedelta(days=30)), Status.DELIVERED)
    rule = rules.named("callback-tests")
    assert rule
    assert [due.number for due in rule.preview()] == [1]

    assert sum(removed.number for removed in rule.remove()) == 1
    assert set(CallbackDelivery.objects.filter(notification=None)) == {new}
    assert CallbackDelivery.objects.count() == 2


def test_stored_callbacks_wake_a_worker():
    assert callbacks_stored.has_listeners(CallbackDelivery)
