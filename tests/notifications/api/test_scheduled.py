"""Scheduled messages as callers list, move and cancel them. Source: docs/reference/sending-api.md §16."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from notifications.models import CallbackDelivery, Channel, DailyCounter, KeyType, LimitKind, Notification, Status
from tests.factories import make_api_key, make_callback, make_notification
from tests.notifications.calling import Caller, email_template, make_caller, sms_template
from tests.notifications.draining import drain

pytestmark = [pytest.mark.usefixtures("noon"), pytest.mark.django_db]

NOT_SCHEDULED = [{"error": "StateError", "message": "This message is not scheduled"}]
SCHEDULED = "/v2/notifications/scheduled"


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def in_minutes(minutes: float) -> datetime:
    return timezone.now() + timedelta(minutes=minutes)


def schedule(caller: Caller, *, minutes: float = 60, **fields: Any) -> str:
    answer = caller.send_sms(sms_template(caller), scheduled_for=in_minutes(minutes).isoformat(), **fields)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def listed(caller: Caller, query: Any = None) -> Sequence[str]:
    answer = caller.get(SCHEDULED, query)
    assert answer.status_code == 200, answer.content
    return [row["id"] for row in answer.json()["notifications"]]


def count_of_today(caller: Caller, kind: LimitKind) -> int:
    return DailyCounter.objects.get(service=caller.service, day=timezone.now().date(), kind=kind).count


def test_the_list_has_the_messages_that_wait_soonest_first(caller: Caller) -> None:
    later, sooner = schedule(caller, minutes=90), schedule(caller, minutes=30)
    caller.send_sms(sms_template(caller))
    email = caller.send_email(email_template(caller), scheduled_for=in_minutes(60).isoformat()).json()["id"]

    assert listed(caller) == [sooner, email, later]
    assert listed(caller, {"template_type": "email"}) == [email]
    assert listed(caller, {"older_than": sooner}) == [email, later]
    assert listed(caller, {"older_than": str(uuid4())}) == []


def test_a_page_links_to_the_next_and_equal_times_lose_no_row(caller: Caller) -> None:
    template, at = sms_template(caller), in_minutes(30)
    fields = {"key_type": KeyType.LIVE, "scheduled_for": at, "due_at": at, "next_attempt_at": at}
    rows = [make_notification(template, **fields) for _ in range(251)]

    first = caller.get(SCHEDULED).json()
    query = first["links"]["next"].partition("?")[2]
    second = caller.get(f"{SCHEDULED}?{query}").json()

    assert query.startswith(f"older_than={first['notifications'][-1]['id']}")
    assert [len(page["notifications"]) for page in (first, second)] == [250, 1]
    assert {row["id"] for page in (first, second) for row in page["notifications"]} == {str(row.id) for row in rows}


def test_the_list_refuses_what_the_list_of_messages_refuses(caller: Caller) -> None:
    answer = caller.get(SCHEDULED, {"limit": "3", "status": "asleep"})
    assert answer.status_code == 400
    assert [error["error"] for error in answer.json()["errors"]] == ["ValidationError", "ValidationError"]


def test_a_moved_message_waits_for_its_new_time(caller: Caller) -> None:
    identifier, at = schedule(caller), in_minutes(120)

    answer = caller.patch(f"/v2/notifications/{identifier}", {"scheduled_for": at.isoformat()})

    assert answer.status_code == 200
    assert answer.json()["scheduled_for"] == f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"
    row = Notification.objects.get(id=identifier)
    assert row.scheduled_for == row.due_at == row.next_attempt_at == at


@pytest.mark.django_db(transaction=True)
def test_a_message_moved_to_now_is_sent(caller: Caller) -> None:
    identifier = schedule(caller)

    for _ in range(2):  # a repeated request changes nothing
        assert caller.patch(f"/v2/notifications/{identifier}", {"scheduled_for": None}).status_code == 200
    drain(Channel.SMS)

    assert Notification.objects.get(id=identifier).status in {Status.DELIVERED, Status.SENDING, Status.SENT}
    assert caller.patch(f"/v2/notifications/{identifier}", {"scheduled_for": None}).status_code == 409


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "scheduled_for is a required property"),
        ({"scheduled_for": 5}, "scheduled_for 5 is not of type string, null"),
        ({"scheduled_for": "2000-01-01T00:00:00"}, "scheduled_for datetime can not be in the past"),
        ({"scheduled_for": "2100-01-01T00:00:00"}, "scheduled_for datetime can only be 24 hours in the future"),
        (
            {"scheduled_for": None, "status": "sent"},
            "Additional properties are not allowed (status was unexpected)",
        ),
    ],
)
def test_a_wrong_time_moves_nothing(caller: Caller, body: Any, message: str) -> None:
    identifier = schedule(caller)
    before = Notification.objects.get(id=identifier).scheduled_for

    answer = caller.patch(f"/v2/notifications/{identifier}", body)

    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"error": "ValidationError", "message": message}]
    assert Notification.objects.get(id=identifier).scheduled_for == before


def test_a_cancelled_message_is_final_and_is_never_sent(caller: Caller) -> None:
    make_callback(caller.service)
    identifier = schedule(caller, minutes=0.001)

    answers = [caller.post(f"/v2/notifications/{identifier}/cancel") for _ in range(2)]
    drain(Channel.SMS)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert {answer.json()["status"] for answer in answers} == {"cancelled"}
    row = Notification.objects.get(id=identifier)
    assert (row.status, row.attempts, row.completed_at is None) == (Status.CANCELLED, [], False)
    assert not CallbackDelivery.objects.exists()
    assert listed(caller) == []
    assert [row["id"] for row in caller.get("/v2/notifications", {"status": "cancelled"}).json()["notifications"]] == [
        identifier
    ]


def test_a_message_cancelled_on_its_day_no_longer_counts(caller: Caller) -> None:
    caller.service.permissions = [*caller.service.permissions, "international_sms"]
    caller.service.save()
    home, abroad = schedule(caller), schedule(caller, phone_number="+33 6 98 76 54 32")
    counts = [count_of_today(caller, kind) for kind in (LimitKind.SMS, LimitKind.INTERNATIONAL_SMS)]

    for identifier in (home, abroad, abroad):
        assert caller.post(f"/v2/notifications/{identifier}/cancel").status_code == 200

    assert counts == [2, 1]
    assert [count_of_today(caller, kind) for kind in (LimitKind.SMS, LimitKind.INTERNATIONAL_SMS)] == [0, 0]


def test_a_message_cancelled_on_a_later_day_still_counts(caller: Caller) -> None:
    identifier = schedule(caller)
    Notification.objects.filter(id=identifier).update(created_at=timezone.now() - timedelta(days=1))

    caller.post(f"/v2/notifications/{identifier}/cancel")

    assert count_of_today(caller, LimitKind.SMS) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"scheduled_for": None},
        {"status": Status.DELIVERED},
        {"attempt": 1},
    ],
    ids=["never scheduled", "sent", "claimed by a worker"],
)
def test_a_message_that_does_not_wait_cannot_be_changed(caller: Caller, fields: dict[str, Any]) -> None:
    at = in_minutes(30)
    row = make_notification(sms_template(caller), **{"key_type": KeyType.LIVE, "scheduled_for": at, **fields})

    answers = [
        caller.post(f"/v2/notifications/{row.id}/cancel"),
        caller.patch(f"/v2/notifications/{row.id}", {"scheduled_for": None}),
    ]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert [answer.json()["errors"] for answer in answers] == [NOT_SCHEDULED, NOT_SCHEDULED]


def test_keys_of_another_type_or_service_find_no_message(caller: Caller) -> None:
    others = Caller(make_api_key(caller.service, KeyType.TEAM)), make_caller()
    identifier = schedule(caller)
    for other in others:
        assert listed(other) == []
        assert other.post(f"/v2/notifications/{identifier}/cancel").status_code == 404
        assert other.patch(f"/v2/notifications/{identifier}", {"scheduled_for": None}).status_code == 404
    assert caller.post("/v2/notifications/nonsense/cancel").status_code == 400


def test_each_path_has_its_methods(caller: Caller) -> None:
    identifier = schedule(caller)
    assert caller.get(f"/v2/notifications/{identifier}/cancel").status_code == 405
    assert caller.patch(SCHEDULED, {}).status_code == 405
    assert caller.post(SCHEDULED, {}).status_code == 404
