"""The data sets `signalbox/requests` and `signalbox/callbacks`. Source: docs/reference/statistics.md §6."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from config.metrics import registry
from datasets import tasks
from datasets.models import DataSet, HourlyRequests
from notifications.models import CallbackDelivery, HourlyCalls, Notification, Status
from tests.cleaning import clean_up
from tests.datasets.making import call, make_data_set, make_token, stored
from tests.factories import make_callback, make_notification, make_template
from tests.notifications.calling import make_caller, sms_template
from tests.notifications.draining import drain_callbacks
from tests.receivers import Receiver

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 20, 12, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nothing_pending(db: None) -> None:
    registry.flush()  # the counts of earlier tests
    HourlyCalls.objects.all().delete()
    HourlyRequests.objects.all().delete()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def records(type: str) -> list[dict[str, Any]]:
    registry.flush()
    tasks.store_statistics()
    found = stored(DataSet.objects.at("signalbox", type).get())
    return [{name: value for name, value in one.items() if not name.startswith("_")} for one in found.values()]


def test_requests_of_the_sending_api_are_counted_by_key_type_and_result() -> None:
    caller = make_caller()
    template = sms_template(caller)

    answers = [caller.send_sms(template).status_code, caller.send_sms(template, phone_number="nobody").status_code]

    service = {"service": caller.service.name, "service_id": str(caller.service.pk)}
    assert answers == [201, 400]
    assert sorted(records("requests"), key=lambda one: one["result"]) == [
        {"api": "sending", **service, "key_type": "live", "result": "accepted", "count": 1},
        {"api": "sending", **service, "key_type": "live", "result": "refused", "count": 1},
    ]


def test_requests_to_data_sets_are_counted_by_the_hour() -> None:
    data_set = make_data_set()
    secret = make_token(data_set, "read")

    with time_machine.travel(NOW, tick=False) as clock:
        for _ in range(2):
            call("GET", data_set, secret)
        clock.shift(timedelta(hours=1))
        call("GET", data_set, secret)
        call("GET", data_set, "an-unknown-token-that-is-long-enough-for-one")
        found = records("requests")

    assert found == [{"api": "data", "data_set": "pay/volumes", "count": 2}, {**found[0], "count": 1}]
    assert [row.at.hour for row in HourlyRequests.objects.order_by("at")] == [12, 13]


def test_a_later_request_of_the_hour_replaces_the_record() -> None:
    data_set = make_data_set()
    secret = make_token(data_set, "read")
    for number in (1, 2):
        call("GET", data_set, secret)
        assert [one["count"] for one in records("requests")] == [number]


def test_attempts_of_callbacks_are_counted_by_event_and_result(receiver: Receiver) -> None:
    endpoint = make_callback(url=receiver.url)
    receiver.answers = [503, 204]
    message = make_notification(make_template(endpoint.service), recipient="ana@example.com")
    Notification.objects.filter(id=message.id).advance(Status.DELIVERED, timezone.now(), sent_at=timezone.now())
    drain_callbacks()
    CallbackDelivery.objects.update(next_attempt_at=timezone.now() - timedelta(minutes=1))
    drain_callbacks()

    found = records("callbacks")

    service = {"service": endpoint.service.name, "service_id": str(endpoint.service_id), "event": "message.delivered"}
    assert sorted(found, key=lambda one: one["result"]) == [
        {**service, "result": "accepted", "count": 1},
        {**service, "result": "retry", "count": 1},
    ]


def test_counts_are_deleted_after_two_years() -> None:
    data_set, endpoint = make_data_set(), make_callback()
    for days in (729, 731):
        at = timezone.now() - timedelta(days=days)
        HourlyRequests.objects.create(data_set=data_set, at=at, n=1)
        HourlyCalls.objects.create(service=endpoint.service, at=at, kind="request", name="live", result="accepted")

    for rule in ("data-set-statistics", "call-statistics"):
        clean_up(rule)

    assert HourlyRequests.objects.count() == HourlyCalls.objects.count() == 1
