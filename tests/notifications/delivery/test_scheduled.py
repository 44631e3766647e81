"""A scheduled message is sent at most 15 s after its time, by the clock and the sweep only."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.notifications.provisioned import Provisioned
from tests.servers import wait_until
from tests.service import Service

AT_MOST = timedelta(seconds=15)
DOCUMENT = {
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "templates": [{"type": "email", "name": "email", "subject": "Hi", "content": "Dear all"}],
    "api_keys": [{"name": "test-key", "type": "test"}, {"name": "live-key", "type": "live"}],
}


@pytest.fixture(scope="module")
def with_clock(start_service: Any) -> Service:
    service: Service = start_service()
    service.start_worker()
    service.start("clock", "manage.py", "clock")
    return service


def record(caller: Provisioned, identifier: str) -> dict[str, Any]:
    return dict(caller.request("GET", f"/v2/notifications/{identifier}").json())


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_scheduled_message_is_sent_within_fifteen_seconds_and_fails_for_an_archived_service(
    with_clock: Service,
) -> None:
    stays, leaves = (Provisioned(with_clock, {"name": f"Quay {uuid.uuid4().hex[:8]}", **DOCUMENT}) for _ in range(2))
    due = datetime.now(UTC) + timedelta(seconds=6)
    when = due.isoformat().replace("+00:00", "Z")

    accepted = [caller.send_email(scheduled_for=when).json() for caller in (stays, leaves)]
    archived = {"services": [{"id": leaves.id, "name": leaves.row["name"], "active": False}]}
    assert with_clock.manage("provision", "-", input=json.dumps(archived)).returncode == 0

    waiting = record(stays, accepted[0]["id"])
    if datetime.now(UTC) < due:
        assert (waiting["status"], waiting["sent_at"]) == ("created", None)
    assert accepted[0]["scheduled_for"] == waiting["scheduled_for"]
    wait_until(lambda: record(stays, accepted[0]["id"])["status"] == "delivered", seconds=30)
    sent = record(stays, accepted[0]["id"])
    assert timedelta(0) <= moment(sent["sent_at"]) - due <= AT_MOST

    restored = {"services": [{"id": leaves.id, "name": leaves.row["name"], "active": True}]}
    wait_until(lambda: has_ended(with_clock, accepted[1]["id"]), seconds=30)
    assert with_clock.manage("provision", "-", input=json.dumps(restored)).returncode == 0
    wait_until(lambda: leaves.request("GET", "/v2/templates").status_code == 200, seconds=10)
    ended = record(leaves, accepted[1]["id"])
    assert (ended["status"], ended["sent_at"]) == ("technical-failure", None)
    assert moment(ended["completed_at"]) >= due


def has_ended(service: Service, identifier: str) -> bool:
    code = f"from notifications.models import Notification as N; print(N.objects.get(id='{identifier}').completed_at)"
    return "None" not in service.manage("shell", "-v", "0", "-c", code).stdout
