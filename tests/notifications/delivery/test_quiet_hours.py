"""Messages that wait for the end of quiet hours. Source: docs/reference/bulk-sending.md §5."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from notifications.delivery import quiet_hours
from notifications.models import Channel, Notification
from tests.factories import make_service
from tests.notifications.calling import Caller, email_template, make_caller, sms_template
from tests.notifications.draining import drain

pytestmark = pytest.mark.django_db

NIGHT = {"from": "21:00", "to": "08:00", "zone": "service"}
LOCAL_NIGHT = {**NIGHT, "zone": "recipient"}
EVENING = datetime(2026, 1, 10, 22, 0, tzinfo=UTC)
MORNING = datetime(2026, 1, 11, 8, 0, tzinfo=UTC)


@pytest.fixture
def at_night() -> Any:
    with time_machine.travel(EVENING, tick=False) as traveller:
        yield traveller


def caller_with(hours: Any, **fields: Any) -> Caller:
    return make_caller(quiet_hours=hours, permissions=["sms", "email", "international_sms"], **fields)


@pytest.mark.parametrize(
    ("hours", "fields", "given", "expected"),
    [
        (None, {}, {}, "22:00"),
        ({"email": NIGHT}, {}, {}, "22:00"),
        ({"sms": NIGHT}, {}, {}, "08:00"),
        ({"sms": NIGHT}, {"time_zone": "America/New_York"}, {}, "22:00"),
        # The zone of the number, of the column, else of the service.
        ({"sms": LOCAL_NIGHT}, {}, {"number": "12125551234"}, "22:00"),
        ({"sms": LOCAL_NIGHT}, {}, {"number": "33698765432"}, "07:00"),
        ({"sms": LOCAL_NIGHT}, {}, {"number": "33698765432", "time_zone": "America/New_York"}, "22:00"),
        ({"sms": LOCAL_NIGHT}, {}, {"number": "33698765432", "time_zone": "teatime"}, "07:00"),
        ({"sms": LOCAL_NIGHT}, {}, {"number": "447700900123"}, "08:00"),
        ({"sms": LOCAL_NIGHT}, {}, {}, "08:00"),
        # Australia's zones are close, from Cocos to Lord Howe; those of +7 and of US freephone numbers are not.
        ({"sms": LOCAL_NIGHT}, {}, {"number": "61412345678"}, "01:30"),
        ({"sms": LOCAL_NIGHT}, {}, {"number": "79161234567"}, "08:00"),
        ({"sms": LOCAL_NIGHT}, {}, {"number": "18005551234"}, "08:00"),
        # The zone of a service decides whatever the recipient's is.
        ({"sms": NIGHT}, {}, {"number": "12125551234", "time_zone": "America/New_York"}, "08:00"),
    ],
)
def test_the_zone_decides(hours: Any, fields: dict[str, Any], given: dict[str, Any], expected: str) -> None:
    service = make_service(quiet_hours=hours, **fields)

    found = quiet_hours.sends_at(service, Channel.SMS, EVENING, **given)

    assert f"{found.astimezone(UTC):%H:%M}" == expected


def test_if_several_zones_leave_no_time_the_service_decides() -> None:
    hours = {"sms": {"from": "04:00", "to": "00:00", "zone": "recipient"}}
    service = make_service(quiet_hours=hours)

    found = quiet_hours.sends_at(service, Channel.SMS, EVENING, number="61412345678")

    assert found.astimezone(UTC) > EVENING


def test_a_message_of_a_template_with_the_switch_waits_and_its_time_limit_starts_later(at_night: Any) -> None:
    caller = caller_with({"sms": NIGHT, "email": NIGHT})
    answers = [
        caller.send_sms(sms_template(caller, respect_quiet_hours=True)),
        caller.send_email(email_template(caller, respect_quiet_hours=True)),
    ]

    for answer in answers:
        assert answer.json()["scheduled_for"] is None
        row = Notification.objects.get(id=answer.json()["id"])
        assert row.quiet_until == row.due_at == row.next_attempt_at == MORNING
        assert row.is_scheduled


def test_a_message_of_another_template_is_sent_at_night(at_night: Any) -> None:
    caller = caller_with({"sms": NIGHT})

    row = Notification.objects.get(id=caller.send_sms(sms_template(caller)).json()["id"])

    assert row.quiet_until is None
    assert not row.is_scheduled


def test_a_scheduled_message_waits_if_its_time_is_quiet(at_night: Any) -> None:
    caller = caller_with({"sms": NIGHT})
    template = sms_template(caller, respect_quiet_hours=True)

    quiet = caller.send_sms(template, scheduled_for="2026-01-11T03:00:00").json()
    loud = caller.send_sms(template, scheduled_for="2026-01-11T12:00:00").json()

    assert quiet["scheduled_for"] == "2026-01-11T03:00:00.000000Z"
    rows = [Notification.objects.get(id=answer["id"]) for answer in (quiet, loud)]
    assert [row.quiet_until for row in rows] == [MORNING, None]
    assert [f"{row.next_attempt_at:%d %H:%M}" for row in rows] == ["11 08:00", "11 12:00"]


def test_a_message_that_waits_is_listed_moved_and_cancelled(at_night: Any) -> None:
    caller = caller_with({"sms": NIGHT})
    identifier = caller.send_sms(sms_template(caller, respect_quiet_hours=True)).json()["id"]
    path = f"/v2/notifications/{identifier}"

    assert [row["id"] for row in caller.get("/v2/notifications/scheduled").json()["notifications"]] == [identifier]
    moves = {"2026-01-11T03:00:00": MORNING, "2026-01-11T12:00:00": None}
    for time, quiet_until in moves.items():
        assert caller.patch(path, {"scheduled_for": time}).status_code == 200
        assert Notification.objects.get(id=identifier).quiet_until == quiet_until
    assert caller.patch(path, {"scheduled_for": None}).status_code == 200
    row = Notification.objects.get(id=identifier)
    assert (row.quiet_until, row.due_at) == (MORNING, MORNING)
    assert caller.post(f"{path}/cancel").json()["status"] == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_no_worker_sends_it_before_the_end() -> None:
    caller = caller_with({"sms": {"from": "00:00", "to": "20:00"} | {"zone": "service"}}, time_zone="UTC")
    with time_machine.travel(EVENING.replace(year=2035, hour=3)):
        identifier = caller.send_sms(sms_template(caller, respect_quiet_hours=True)).json()["id"]

    drain(Channel.SMS)

    assert Notification.objects.get(id=identifier).attempt == 0


def test_a_dry_run_states_when_the_message_would_be_sent(at_night: Any) -> None:
    caller = caller_with({"sms": NIGHT})
    template = sms_template(caller, respect_quiet_hours=True)
    body = {"phone_number": "07700900123", "template_id": str(template.pk)}

    answer = caller.post("/v2/notifications/sms?dry_run=true", body).json()

    assert (answer["scheduled_for"], answer["sends_at"]) == (None, "2026-01-11T08:00:00.000000Z")
