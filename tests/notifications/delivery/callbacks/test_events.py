"""Endpoints that choose their events: each gets its own, once, with the type and the time around the data."""

import json
from datetime import UTC, timedelta

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone
from standardwebhooks import Webhook

from config import audit
from config.audit.models import AuditEvent
from datasets import store
from datasets.alarms import watching
from datasets.models import Alarm, DataSet
from datasets.store import freshness, written
from notifications.api.suppressions.serializers import SuppressionSerializer
from notifications.delivery import suppressions
from notifications.delivery.callbacks import bodies
from notifications.delivery.messages import IncomingText
from notifications.delivery.returned_emails import mailbox
from notifications.models import (
    BulkState,
    CallbackDelivery,
    CallbackEndpoint,
    CallbackEvent,
    CallbackKind,
    Channel,
    DataSetEvent,
    Notification,
    ReceivedEmail,
    Service,
    Status,
    SuppressionSource,
)
from notifications.submission import receiving
from notifications.submission.bulk import change, steps
from notifications.submission.suppressions import listing
from tests.cleaning import clean_up
from tests.datasets.making import make_data_set, put_in, some_records
from tests.factories import (
    make_bulk_send,
    make_callback,
    make_notification,
    make_received_email,
    make_reply_to,
    make_service,
    make_template,
)
from tests.notifications.bulk.test_steps import all_steps, bulk_of
from tests.notifications.draining import drain_callbacks, drain_messages
from tests.receivers import Receiver

pytestmark = pytest.mark.django_db

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def endpoint_for(*events: CallbackEvent, service: Service | None = None, **fields) -> CallbackEndpoint:
    return make_callback(service, kind=CallbackKind.EVENTS, events=list(events), **fields)


def owed(endpoint: CallbackEndpoint) -> list[str]:
    return list(
        CallbackDelivery.objects.filter(endpoint=endpoint).order_by("created_at").values_list("event", flat=True)
    )


def suppress(service: Service | None, recipient: str = "ana@example.com"):
    row = listing.new(
        service,
        listing.parse_recipient(recipient),
        source=SuppressionSource.API,
        created_by="key",
        note="asked",
    )
    return listing.add(row, audit.CLOCK)[0]


def test_each_endpoint_of_a_service_gets_its_events_of_a_message():
    service = make_service()
    failed = endpoint_for(CallbackEvent.MESSAGE_FAILED, service=service)
    sent = endpoint_for(CallbackEvent.MESSAGE_SENT, CallbackEvent.MESSAGE_DELIVERED, service=service)
    usual, second = make_callback(service), make_callback(service)
    only_failed = make_callback(service, events=["message.failed"])
    message = make_notification(make_template(service))
    own = Notification.objects.filter(pk=message.pk)

    for status in (Status.SENDING, Status.PENDING, Status.DELIVERED, Status.DELIVERED):
        own.advance(status, timezone.now())

    assert owed(sent) == ["message.sent", "message.delivered"]
    assert owed(usual) == owed(second) == ["message.delivered"]
    assert owed(failed) == owed(only_failed) == []


def test_sent_is_reported_from_the_batch_that_a_worker_records():
    service = make_service()
    sent = endpoint_for(CallbackEvent.MESSAGE_SENT, CallbackEvent.MESSAGE_DELIVERED, service=service)
    other = endpoint_for(CallbackEvent.MESSAGE_FAILED, service=service)
    messages = [make_notification(make_template(service, Channel.SMS), recipient="07700900123") for _ in range(2)]

    drain_messages()

    reached = set(Notification.objects.values_list("status", flat=True))
    assert reached & {Status.SENDING, Status.SENT, Status.DELIVERED}
    assert CallbackDelivery.objects.filter(endpoint=sent).count() == len(messages)
    assert owed(other) == []


def test_an_event_is_posted_with_its_type_and_time_and_a_signature():
    with Receiver() as receiver:
        endpoint = endpoint_for(CallbackEvent.MESSAGE_FAILED, url=receiver.url, signing_secret=SECRET)
        message = make_notification(make_template(endpoint.service), reference="order-1")
        Notification.objects.filter(pk=message.pk).advance(Status.PERMANENT_FAILURE, timezone.now())
        delivery = CallbackDelivery.objects.get()
        drain_callbacks()

    [posted] = receiver.posted
    body = Webhook(SECRET).verify(posted.body, dict(posted.headers))
    assert list(body) == ["type", "timestamp", "data"]
    assert (body["type"], body["data"]["status"]) == ("message.failed", "permanent-failure")
    assert body["timestamp"] == f"{delivery.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    assert body["data"]["reference"] == "order-1"


def test_texts_and_suppressions_reach_the_endpoints_that_chose_them():
    service = make_service()
    both = endpoint_for(CallbackEvent.RECEIVED_TEXT, CallbackEvent.SUPPRESSION_ADDED, service=service)
    other = endpoint_for(CallbackEvent.BULK_SEND_FINISHED, service=service)

    receiving.store(service, IncomingText(sender="07700900123", recipient="1", content="Hello"))
    for _ in range(2):
        suppress(service)

    assert owed(both) == ["received_text", "suppression.added"]
    assert owed(other) == []


EMAIL = b"""From: Ana <ana@example.com>
To: help@%(domain)b
Subject: Re: Tides
Message-ID: <1@example.com>
In-Reply-To: <%(id)b@%(domain)b>
Content-Type: multipart/mixed; boundary=x

--x

When is high water?
--x
Content-Disposition: attachment; filename=kai.jpg

secret bytes
--x--
"""


def test_a_received_email_is_reported_once_without_its_files(settings):
    endpoint = endpoint_for(CallbackEvent.RECEIVED_EMAIL)
    others = endpoint_for(CallbackEvent.RECEIVED_TEXT, service=endpoint.service), endpoint_for(*CallbackEvent)
    make_reply_to(endpoint.service, f"help@{settings.EMAIL_DOMAIN}")
    message = make_notification(make_template(endpoint.service), reference="case-7")
    email = EMAIL % {b"domain": settings.EMAIL_DOMAIN.encode(), b"id": str(message.pk).encode()}

    for _ in range(2):
        mailbox.take_in(email)

    assert owed(endpoint) == ["received_email"]
    assert [owed(other) for other in others] == [[], []]
    delivery = CallbackDelivery.objects.get()
    body = json.loads(bodies.body_of(delivery))
    data = body["data"]
    assert body["type"] == "received_email"
    assert data == {
        "id": str(delivery.received_email_id),
        "source_email_address": "ana@example.com",
        "destination_email_address": f"help@{settings.EMAIL_DOMAIN}",
        "subject": "Re: Tides",
        "message": "When is high water?",
        "is_shortened": False,
        "is_automatic": False,
        "notification_id": str(message.pk),
        "reference": "case-7",
        "date_received": data["date_received"],
    }
    message.delete()
    assert json.loads(bodies.body_of(delivery))["data"] == data | {"reference": None}


def test_an_email_that_cannot_be_decrypted_is_tried_again_later():
    endpoint = endpoint_for(CallbackEvent.RECEIVED_EMAIL)
    row = make_received_email(endpoint.service)
    CallbackDelivery.objects.owe_email(row)
    ReceivedEmail.objects.update(encrypted_content=b"0" * 40)

    drain_callbacks()

    delivery = CallbackDelivery.objects.get()
    assert (delivery.state, delivery.failed_attempts) == ("waiting", 1)
    assert "FIELD_KEYS" in delivery.attempts[0]["reply"]


def test_a_suppression_has_the_data_of_the_api():
    endpoint = endpoint_for(CallbackEvent.SUPPRESSION_ADDED)
    row = suppress(endpoint.service, "07700 900123")

    data = json.loads(bodies.body_of(CallbackDelivery.objects.get()))["data"]

    shown = dict(SuppressionSerializer(row).data)
    assert shown.pop("lifted_at") is None
    assert data == json.loads(json.dumps(shown, default=str))


def test_imported_suppressions_are_reported_once_each_and_those_of_the_installation_never():
    endpoint = endpoint_for(CallbackEvent.SUPPRESSION_ADDED)

    def rows(service):
        return [
            listing.new(
                service,
                listing.parse_recipient(f"p{number}@example.org"),
                source=SuppressionSource.IMPORT,
                created_by="mina",
            )
            for number in range(3)
        ]

    added = [suppressions.add_many(endpoint.service, rows(endpoint.service)) for _ in range(2)]
    suppressions.add_many(None, rows(None))
    suppress(None, "other@example.org")

    assert (added, len(owed(endpoint))) == ([3, 0], 3)


def test_a_bulk_send_is_reported_once_when_it_finishes():
    endpoint = endpoint_for(CallbackEvent.BULK_SEND_FINISHED)
    bulk_send = bulk_of(5, make_template(endpoint.service))

    steps.take_next(most_rows=3)
    assert owed(endpoint) == []
    all_steps(most_rows=3)

    assert owed(endpoint) == ["bulk_send.finished"]
    data = json.loads(bodies.body_of(CallbackDelivery.objects.get()))["data"]
    assert (data["id"], data["job_status"], data["messages"]) == (str(bulk_send.id), "finished", 5)


def test_a_bulk_send_whose_rows_are_gone_is_reported_too():
    endpoint = endpoint_for(CallbackEvent.BULK_SEND_FINISHED)
    bulk_send = make_bulk_send(make_template(endpoint.service), state=BulkState.IN_PROGRESS)

    all_steps()

    bulk_send.refresh_from_db()
    assert (bulk_send.state, owed(endpoint)) == (BulkState.FINISHED, ["bulk_send.finished"])


def test_a_cancelled_bulk_send_is_reported_once():
    endpoint = endpoint_for(CallbackEvent.BULK_SEND_FINISHED)
    bulk_send = bulk_of(3, make_template(endpoint.service))

    for _ in range(2):
        change.cancel(bulk_send, audit.CLOCK)

    assert owed(endpoint) == ["bulk_send.finished"]
    data = json.loads(bodies.body_of(CallbackDelivery.objects.get()))["data"]
    assert (data["job_status"], data["cancelled"]) == ("cancelled", 3)


@pytest.mark.parametrize("event", list(CallbackEvent))
def test_the_test_of_an_event_has_its_type_and_its_id(event):
    delivery = CallbackDelivery.objects.owe_test(endpoint_for(*CallbackEvent), event)

    body = json.loads(bodies.body_of(delivery))

    assert (body["type"], body["data"]["id"]) == (event.value, str(delivery.id))


def test_an_endpoint_gets_an_event_once():
    endpoint = endpoint_for(CallbackEvent.BULK_SEND_FINISHED)
    bulk_send = make_bulk_send(make_template(endpoint.service))
    CallbackDelivery.objects.owe_bulk_send(bulk_send)

    with pytest.raises(IntegrityError), transaction.atomic():
        CallbackDelivery.objects.owe_bulk_send(bulk_send)


# Events of data sets


def late_and_back(data_set, *, recovers=True):
    """Let the clock find that a data set is late and, by default, that it has recovered."""
    put_in(data_set, some_records(1))
    DataSet.objects.filter(pk=data_set.pk).update(last_write_at=timezone.now() - timedelta(hours=2))
    for _ in range(2):
        freshness.check_freshness()
    if recovers:
        put_in(data_set, some_records(1))
        for _ in range(2):
            freshness.check_freshness()


def test_a_data_set_is_reported_once_when_it_is_late_and_once_when_it_recovers():
    data_set, other = (make_data_set(type=name, expected_every_seconds=3600) for name in ("volumes", "other"))
    both = endpoint_for(CallbackEvent.DATA_SET_LATE, CallbackEvent.DATA_SET_RECOVERED, data_sets=[data_set.pk])
    late = endpoint_for(CallbackEvent.DATA_SET_LATE, data_sets=[other.pk, data_set.pk])
    others = [
        endpoint_for(CallbackEvent.DATA_SET_LATE, data_sets=[other.pk]),
        endpoint_for(CallbackEvent.MESSAGE_FAILED, service=both.service),
        endpoint_for(CallbackEvent.DATA_SET_LATE, data_sets=[data_set.pk], service=make_service(active=False)),
    ]

    late_and_back(data_set)

    assert owed(both) == ["data_set.late", "data_set.recovered"]
    assert owed(late) == ["data_set.late"]
    assert [owed(one) for one in others] == [[], [], []]
    first, second = CallbackDelivery.objects.filter(endpoint=both).order_by("created_at")
    body, after = (json.loads(bodies.body_of(one)) for one in (first, second))
    assert body["type"] == "data_set.late"
    assert (body["data"]["data_set"], body["data"]["path"], body["data"]["state"]) == (
        "pay_volumes",
        "pay/volumes",
        "late",
    )
    assert body["data"]["expected_every_seconds"] == 3600
    assert body["data"]["last_write_at"] < body["data"]["at"]
    assert (after["type"], after["data"]["state"]) == ("data_set.recovered", "fresh")
    assert AuditEvent.objects.filter(data_set_id=data_set.pk, verb="found_late").count() == 1


def test_an_event_of_a_data_set_is_signed_and_sent_after_the_data_set_is_deleted():
    data_set = make_data_set(expected_every_seconds=3600)
    with Receiver() as receiver:
        endpoint_for(CallbackEvent.DATA_SET_LATE, data_sets=[data_set.pk], url=receiver.url, signing_secret=SECRET)
        late_and_back(data_set, recovers=False)
        store.empty(data_set, by=audit.COMMAND)
        data_set.delete()
        drain_callbacks()

    [posted] = receiver.posted
    assert Webhook(SECRET).verify(posted.body, dict(posted.headers))["data"]["path"] == "pay/volumes"
    assert CallbackDelivery.objects.get().state == "accepted"


def test_callbacks_of_a_data_set_wait_for_a_paused_endpoint():
    data_set = make_data_set(expected_every_seconds=3600)
    endpoint_for(CallbackEvent.DATA_SET_LATE, data_sets=[data_set.pk], paused_at=timezone.now())
    late_and_back(data_set, recovers=False)

    drain_callbacks()

    assert CallbackDelivery.objects.get().state == "waiting"


def test_a_change_whose_callbacks_cannot_be_stored_is_found_again():
    data_set = make_data_set(expected_every_seconds=3600)
    endpoint = endpoint_for(CallbackEvent.DATA_SET_LATE, data_sets=[data_set.pk])

    def refuse(execute, sql, *rest):
        if "INSERT" in sql and "callbackdelivery" in sql:
            raise DatabaseError
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse), pytest.raises(DatabaseError):
        late_and_back(data_set, recovers=False)
    assert not AuditEvent.objects.filter(verb="found_late").exists()

    freshness.check_freshness()

    assert owed(endpoint) == ["data_set.late"]
    assert AuditEvent.objects.filter(verb="found_late").count() == 1


def test_events_of_data_sets_are_deleted_after_30_days():
    data_set = make_data_set(expected_every_seconds=3600)
    endpoint_for(CallbackEvent.DATA_SET_LATE, data_sets=[data_set.pk])
    late_and_back(data_set, recovers=False)
    DataSetEvent.objects.update(created_at=timezone.now() - timedelta(days=31))

    assert clean_up("data-set-events").removed == 1
    assert not CallbackDelivery.objects.exists()


def test_an_emptied_data_set_and_alarms_are_reported_to_the_endpoints_that_chose_them():
    data_set, other = make_data_set(), make_data_set("pay", "others")
    chosen = (CallbackEvent.DATA_SET_EMPTIED, CallbackEvent.ALARM_RAISED, CallbackEvent.ALARM_ENDED)
    endpoint = endpoint_for(*chosen, data_sets=[data_set.pk])
    elsewhere = endpoint_for(*chosen, data_sets=[other.pk])
    put_in(data_set, some_records(3))
    alarm = {"measure": "records", "condition": "below", "limit": 1, "name": "Empty"}
    Alarm.objects.create(data_set=data_set, **alarm)

    store.empty(data_set, by=audit.CLOCK)
    watching.check_alarms()
    put_in(data_set, some_records(2))
    watching.check_alarms()

    assert owed(elsewhere) == []
    assert owed(endpoint) == ["data_set.emptied", "alarm.raised", "alarm.ended"]
    emptied, raised, ended = (
        json.loads(bodies.body_of(one))["data"] for one in endpoint.deliveries.order_by("created_at")
    )
    known = {"data_set": "pay_volumes", "path": "pay/volumes"}
    assert {name: emptied[name] for name in (*known, "removed")} == {**known, "removed": 3}
    rule = {"alarm": "Empty", "measure": "records", "condition": "below", "limit": 1}
    assert {name: raised[name] for name in (*known, *rule, "value")} == {**known, **rule, "value": 0}
    assert ended["value"] == 2


def test_writes_are_reported_once_in_a_run_of_the_clock_from_the_first_listener_on():
    data_set = make_data_set()
    put_in(data_set, some_records(1))
    assert written.send_writes() == 0
    endpoint = endpoint_for(CallbackEvent.DATA_SET_WRITTEN, data_sets=[data_set.pk])
    assert written.send_writes() == 0  # the write was before the endpoint

    for _ in range(3):
        put_in(data_set, some_records(2))
    assert (written.send_writes(), written.send_writes()) == (1, 0)

    assert owed(endpoint) == ["data_set.written"]
    assert json.loads(bodies.body_of(endpoint.deliveries.get()))["data"]["records"] == 2
