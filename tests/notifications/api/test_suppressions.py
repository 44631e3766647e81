"""/v2/suppressions: list, find, add and lift. Source: docs/reference/suppressions.md §3."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from config.audit.models import AuditEvent
from notifications.models import KeyType, Notification, Status, Suppression, SuppressionReason
from tests.factories import make_service, make_suppression
from tests.notifications.calling import Caller, email_template, make_caller, messages
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db

PATH = "/v2/suppressions"
BASE = f"http://127.0.0.1:8000{PATH}"
MOMENT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ANA = "ana@example.com"


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def delete(caller: Caller, row: Any, query: str = "") -> Any:
    headers = {"Authorization": caller.authorization()}
    return caller.client.delete(f"{PATH}/{row}{query}", headers=headers)


def test_a_record_has_the_reason_and_its_source(caller: Caller) -> None:
    message = uuid.uuid4()
    row = make_suppression(
        caller.service, "Ana@Example.com", SuppressionReason.HARD_BOUNCE,
        created_at=MOMENT, notification_id=message, note="5.1.1",
    )  # fmt: skip

    answer = caller.get(PATH)

    record = {
        "id": str(row.id),
        "created_at": "2026-11-21T09:30:00.000000Z",
        "service_id": str(caller.service.id),
        "type": "email",
        "email_address": "Ana@Example.com",
        "phone_number": None,
        "reason": "hard_bounce",
        "source": "provider",
        "notification_id": str(message),
        "note": "5.1.1",
        "expires_at": None,
        "lifted_at": None,
    }
    assert answer.json() == {
        "suppressions": [record],
        "links": {"current": BASE, "next": f"{BASE}?older_than={row.id}"},
    }
    assert caller.get(f"{PATH}/{row.id}").json() == record


def test_the_list_has_the_active_suppressions_of_the_service_only(caller: Caller) -> None:
    make_suppression(None, ANA)
    make_suppression(make_service(), ANA)
    make_suppression(caller.service, ANA, lifted_at=timezone.now())
    make_suppression(caller.service, "bo@example.com", created_at=MOMENT, expires_at=MOMENT + timedelta(minutes=1))
    own = make_suppression(caller.service, "07700 900123")

    (record,) = caller.get(PATH).json()["suppressions"]

    assert (record["id"], record["phone_number"], record["email_address"]) == (str(own.id), "07700 900123", None)


def test_filters_and_pages(caller: Caller) -> None:
    rows = [make_suppression(caller.service, f"p{one}@example.com", created_at=MOMENT) for one in range(251)]
    bounce = make_suppression(caller.service, ANA, SuppressionReason.HARD_BOUNCE)
    text = make_suppression(caller.service, "07700 900123")

    def found(query: str) -> list[str]:
        return [row["id"] for row in caller.get(f"{PATH}?{query}").json()["suppressions"]]

    assert found("reason=hard_bounce") == [str(bounce.id)]
    assert found("type=sms") == [str(text.id)]
    assert set(found("reason=hard_bounce&type=sms&type=email")) == {str(bounce.id)}
    first = caller.get(f"{PATH}?reason=manual").json()
    second = caller.get(first["links"]["next"].removeprefix("http://127.0.0.1:8000")).json()
    ids = [row["id"] for page in (first, second) for row in page["suppressions"]]
    assert sorted(ids) == sorted(str(row.id) for row in [*rows, text])
    assert messages(caller.get(f"{PATH}?reason=weather&colour=red")) == [
        "reason weather is not one of [hard_bounce, complaint, unsubscribe, stop, manual]",
        "Additional properties are not allowed (colour was unexpected)",
    ]


def test_an_added_recipient_gets_nothing_more_until_the_suppression_is_lifted(caller: Caller) -> None:
    template = email_template(caller)

    added = caller.post(PATH, {"email_address": "Ana@Example.com", "note": " asked\nby phone "})
    caller.send_email(template, email_address=ANA)
    drain_messages()
    lifted = delete(caller, added.json()["id"], "?reason=changed%20her%20mind")
    again = delete(caller, added.json()["id"])
    caller.send_email(template, email_address=ANA)
    drain_messages()

    assert added.status_code == 201
    assert (added.json()["reason"], added.json()["source"], added.json()["note"]) == ("manual", "api", "asked by phone")
    assert lifted.status_code == again.status_code == 200
    assert lifted.json() == again.json()
    assert lifted.json()["lifted_at"] is not None
    statuses = Notification.objects.order_by("created_at").values_list("status", flat=True)
    assert list(statuses) == [Status.PERMANENT_FAILURE, Status.DELIVERED]
    row = Suppression.objects.get()
    assert (row.created_by, row.lifted_by, row.lift_reason) == (caller.key.name, caller.key.name, "changed her mind")
    events = AuditEvent.objects.filter(object_kind="suppression").order_by("at")
    assert [(event.verb, event.actor_label, event.reason) for event in events] == [
        ("created", caller.key.name, ""),
        ("lifted", caller.key.name, "changed her mind"),
    ]
    assert not any("ana@" in json.dumps([one.before, one.after, one.object_label]).lower() for one in events)


def test_a_recipient_that_is_suppressed_already_is_stored_once(caller: Caller) -> None:
    soon = (timezone.now() + timedelta(days=1)).isoformat()

    first = caller.post(PATH, {"phone_number": "07700 900123", "expires_at": soon})
    second = caller.post(PATH, {"phone_number": "+447700900123", "expires_at": None})

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert (first.json()["expires_at"] is None, second.json()["expires_at"]) == (False, None)


def test_the_recipient_is_found_by_its_normalised_form(caller: Caller) -> None:
    both = [
        make_suppression(caller.service, ANA, reason)
        for reason in (SuppressionReason.MANUAL, SuppressionReason.HARD_BOUNCE)
    ]
    make_suppression(make_service(), ANA)

    found = caller.post(f"{PATH}/search", {"email_address": "ANA@example.com"})
    nothing = caller.post(f"{PATH}/search", {"phone_number": "07700900123"})

    assert [row["id"] for row in found.json()["suppressions"]] == [str(row.id) for row in reversed(both)]
    assert nothing.json() == {"suppressions": []}


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({}, ["Exactly one of email_address and phone_number is a required property"]),
        (
            {"email_address": ANA, "phone_number": "07700900123"},
            ["Exactly one of email_address and phone_number is a required property"],
        ),
        ({"email_address": "ana"}, ["email_address Not a valid email address"]),
        ({"email_address": 7}, ["email_address 7 is not of type string"]),
        ({"phone_number": "123"}, ["phone_number Not enough digits"]),
        ({"email_address": ANA, "note": 7}, ["note 7 is not of type string"]),
        ({"email_address": ANA, "note": "n" * 256}, [f"note {'n' * 256} is too long"]),
        (
            {"email_address": ANA, "expires_at": "soon"},
            ["expires_at datetime format is invalid. It must be a valid ISO8601 date time format"],
        ),
        ({"email_address": ANA, "expires_at": "2020-01-01T00:00"}, ["expires_at datetime can not be in the past"]),
        ({"email_address": ANA, "why": "x"}, ["Additional properties are not allowed (why was unexpected)"]),
        ([], ["Exactly one of email_address and phone_number is a required property"]),
        ([ANA], [f"[{ANA}] is not of type object"]),
    ],
)
def test_a_wrong_body_names_what_is_wrong(caller: Caller, body: Any, errors: list[str]) -> None:
    answer = caller.post(PATH, body)

    assert (answer.status_code, messages(answer)) == (400, errors)
    assert not Suppression.objects.exists()


def test_a_test_key_reads_only(caller: Caller) -> None:
    row = make_suppression(caller.service, ANA)
    reader = make_caller(caller.service, KeyType.TEST)

    refused = [reader.post(PATH, {"email_address": "bo@example.com"}), delete(reader, row.id)]

    for answer in refused:
        assert (answer.status_code, messages(answer)) == (400, ["Can't change suppressions using a test API key"])
    assert reader.get(f"{PATH}/{row.id}").status_code == 200
    assert Suppression.objects.get().is_active


def test_a_row_of_another_service_or_of_the_installation_is_not_found(caller: Caller) -> None:
    for row in (make_suppression(make_service(), ANA), make_suppression(None, ANA)):
        for answer in (caller.get(f"{PATH}/{row.id}"), delete(caller, row.id)):
            assert (answer.status_code, messages(answer)) == (404, ["No result found"])
        row.refresh_from_db()
        assert row.is_active
    assert messages(delete(caller, row.id, "?reason=" + "r" * 256)) == [f"reason {'r' * 256} is too long"]
    assert messages(delete(caller, "x")) == ["suppression_id is not a valid UUID"]


def test_other_methods_are_not_allowed(caller: Caller) -> None:
    answer = caller.patch(PATH, {})

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, POST, HEAD"
