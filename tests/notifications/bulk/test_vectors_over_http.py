"""Every case of the vectors that a request can state, over HTTP."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import LazySettings

from notifications.models import BulkSend, Channel, DailyCounter, KeyType, LimitKind, Notification, Permission
from notifications.submission import ttl_cache
from tests import both_stores
from tests.factories import make_guest, make_service, make_template
from tests.notifications.bulk_tables.test_vectors import CASES, expanded
from tests.notifications.calling import Caller, make_caller

pytestmark = pytest.mark.django_db

OVER_HTTP = [case for case in CASES if not {"upload_b64", "paste"} & case["given"].keys()]


def caller_for(given: dict[str, Any]) -> Caller:
    """Return a caller whose service has the permissions, the guest list and the limits of a case."""
    service, channel = given.get("service", {}), Channel(given["template"]["type"])
    permissions = {Permission.SMS, Permission.EMAIL}
    permissions |= {Permission(name) for name in ("international_sms", "sms_to_uk_landlines") if service.get(name)}
    limit, international = service.get("daily_limit", 1_000_000), service.get("remaining_international", 1_000_000)
    row = make_service(
        name=service.get("name", "Parks"),
        live=service.get("live", True),
        prefix_sms=service.get("prefix_sms", False),
        permissions=sorted(permissions),
        daily_limit_sms=limit,
        daily_limit_email=limit,
        daily_limit_international_sms=max(international, 1),
    )
    for recipient in service.get("team_and_guest_list", []):
        make_guest(row, recipient)
    if "remaining" in service:
        spent(row, LimitKind(channel.value), limit - service["remaining"])
    if international == 0:
        spent(row, LimitKind.INTERNATIONAL_SMS, 1)
    return make_caller(row, KeyType(service.get("key_type", "live")))


def spent(service: Any, kind: LimitKind, count: int) -> None:
    DailyCounter.objects.create(service=service, day=datetime.now(UTC).date(), kind=kind, count=count)


def source_of(given: dict[str, Any]) -> dict[str, Any]:
    if "csv_repeat" in given:
        parts = given["csv_repeat"]
        lines = [parts["header"], *[parts["row"]] * parts["times"], *parts.get("then", [])]
        return {"csv": "\n".join(lines)}
    return {name: given[name] for name in ("rows", "csv") if name in given}


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"], marks=both_stores.marks_of(case)) for case in OVER_HTTP]
)
def test_a_table_gets_the_answer_of_the_contract(case: dict[str, Any], settings: LazySettings) -> None:
    given, expect = expanded(case["given"]), expanded(case["expect"])
    settings.BULK_MAX_ROWS = given.get("service", {}).get("max_rows", 100_000)
    ttl_cache.clear()
    caller = caller_for(given)
    template = given["template"]
    made = make_template(caller.service, Channel(template["type"]), template["content"], template.get("subject"))

    response = caller.post("/v2/notifications/bulk", {"template_id": str(made.pk), "name": "x", **source_of(given)})

    body = response.json()
    assert response.status_code == expect["status"], body
    if expect["status"] == 201:
        [bulk_send] = BulkSend.objects.all()
        assert body["data"]["notification_count"] == expect["row_count"]
        stored = [
            {"number": row.number, "recipient": row.recipient, "reference": row.reference}
            for row in bulk_send.rows.order_by("number")
        ]
        assert len(stored) == expect["row_count"]
        for row, wanted in zip(stored, expect["rows"], strict=False):
            assert {name: wanted.get(name, value) for name, value in row.items()} == {**row}
    else:
        assert [entry["message"] for entry in body["errors"]] == [error["message"] for error in expect["file_errors"]]
        assert not BulkSend.objects.exists()
        wanted = [{"row": row["number"], **error} for row in expect["rows"] or [] for error in row["errors"]]
        found = [row for entry in body["errors"] for row in entry.get("rows", [])]
        assert sorted(found, key=json.dumps) == sorted(wanted, key=json.dumps)
    assert not Notification.objects.exists()
