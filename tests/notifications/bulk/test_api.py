"""Bulk sends over the API: what is refused, what is repeated, and who may read and change what."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from config.audit.models import AuditEvent
from notifications.models import (
    BulkSend,
    BulkState,
    DailyCounter,
    KeyType,
    LimitKind,
    Notification,
    SmsSender,
    Status,
)
from notifications.submission import ttl_cache
from notifications.submission.bulk import steps
from tests.factories import make_reply_to
from tests.notifications.calling import Caller, asking_for_help, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

PATH = "/v2/notifications/bulk"
ROWS = [["email address", "name"], ["ana@example.org", "Ana"], ["bo@example.org", "Bo"]]


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def body_for(caller: Caller, **fields: Any) -> dict[str, Any]:
    template = email_template(caller, "Dear ((name))")
    return {"template_id": str(template.id), "name": "spring.csv", "rows": ROWS} | fields


def sent(caller: Caller, **fields: Any) -> BulkSend:
    response = caller.post(PATH, body_for(caller, **fields))
    assert response.status_code == 201, response.json()
    return BulkSend.objects.get(pk=response.json()["data"]["id"])


def spent(caller: Caller, kind: LimitKind = LimitKind.EMAIL) -> int:
    return sum(DailyCounter.objects.filter(service=caller.service, kind=kind).values_list("count", flat=True))


def erase(recipient: str) -> None:
    call_command("erase_recipient", recipient, "--yes", stdout=io.StringIO())


def many_rows(count: int) -> list[list[str]]:
    return [["email address", "name"], *([f"p{number}@example.org", "x"] for number in range(count))]


def test_the_response_has_every_key_of_the_contract(caller):
    response = caller.post(PATH, body_for(caller, reference="spring"))

    data = response.json()["data"]
    key = {"id": str(caller.key.id), "key_type": "normal", "name": caller.key.name}
    assert data.pop("created_at").endswith("+00:00")
    bulk_send = BulkSend.objects.get()
    assert data == {
        "id": str(bulk_send.id),
        "api_key": key,
        "archived": False,
        "created_by": {"id": key["id"], "name": key["name"]},
        "job_status": "pending",
        "notification_count": 2,
        "original_file_name": "spring.csv",
        "processing_started": None,
        "processing_finished": None,
        "scheduled_for": None,
        "updated_at": None,
        "sender_id": None,
        "service": str(caller.service.id),
        "service_name": {"name": caller.service.name},
        "template": str(bulk_send.template_id),
        "template_type": "email",
        "template_version": 1,
    }
    assert set(bulk_send.rows.values_list("reference", flat=True)) == {"spring"}
    assert spent(caller) == 2
    event = AuditEvent.objects.get(object_kind="bulksend")
    assert (event.verb, event.actor_kind, event.after["rows"]) == ("sent", "key", 2)


def test_the_sender_id_is_the_default_text_sender_or_the_chosen_one(caller):
    text = sms_template(caller)
    rows = [["phone number"], ["07700 900123"]]
    by_default = caller.post(PATH, {"template_id": str(text.id), "name": "x", "rows": rows}).json()["data"]
    reply_to = make_reply_to(caller.service, "other@example.com", is_default=False)
    chosen = caller.post(PATH, body_for(caller, reply_to_id=str(reply_to.id))).json()["data"]

    assert by_default["sender_id"] == str(SmsSender.objects.get().id)
    assert chosen["sender_id"] == str(reply_to.id)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"template_id": "x"}, ["template_id is not a valid UUID"]),
        ({"name": "n" * 256}, [f"name {'n' * 256} is too long"]),
        ({"name": 7}, ["name 7 is not of type string"]),
        ({"rows": "secret"}, ["rows is not of type array"]),
        ({"rows": None}, ["rows is not of type array"]),
        ({"csv": ["secret"]}, ["csv is not of type string"]),
        ({"csv": "email address\na@example.org"}, ["You should specify either rows or csv"]),
        ({"scheduled_for": "2020-01-01T00:00"}, ["scheduled_for datetime cannot be in the past"]),
        (
            {"scheduled_for": "2999-01-01T00:00"},
            ["scheduled_for datetime can only be up to 168 hours in the future"],
        ),
        ({"reply_to_id": 7}, ["reply_to_id is not a valid UUID"]),
        ({"row": [], "nam": 1}, ["Additional properties are not allowed (nam, row were unexpected)"]),
    ],
)
def test_an_invalid_property_is_refused(changes, expected, caller):
    response = caller.post(PATH, body_for(caller, **changes))

    assert (response.status_code, messages(response)) == (400, expected)
    assert b"secret" not in response.content


def test_missing_properties_are_reported_together(caller):
    assert messages(caller.post(PATH, {})) == ["template_id is a required property", "name is a required property"]
    neither = {"template_id": str(email_template(caller).id), "name": "x"}
    assert messages(caller.post(PATH, neither)) == ["You should specify either rows or csv"]
    assert messages(caller.post(PATH, [1])) == ["[1] is not of type object"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"{} {}",
        b'{"rows": [[NaN]]}',
        b'{"rows": [[1e999]]}',
        b'{"name": "\\u0000"}',
        b'{"name": "\\ud800"}',
        b'{"name": "\\ud83dx"}',
        b'{"name": "\\\\\\ud83d"}',
        b'{"name": "\xff"}',
        b"\xef\xbb\xbf{}",
        b'{"rows": ' + b"[" * 60 + b"]" * 60 + b"}",
        b'{"rows": [["a"],',
    ],
)
def test_what_is_not_json_is_refused(raw, caller):
    response = caller.post(PATH, raw=raw)

    assert (response.status_code, messages(response)) == (400, ["Invalid JSON supplied in POST data"])


def test_good_escapes_are_read_wherever_a_block_ends(caller):
    fields = json.dumps(body_for(caller, rows=[["email address", "name"], ["a@example.org", "\U0001f600\\" * 20_000]]))
    for shift in range(0, 13, 3):
        response = caller.post(PATH, raw=b" " * shift + fields.encode())
        assert response.status_code == 201, response.json()
    row = BulkSend.objects.latest("created_at").rows.get()
    assert row.cells[1] == "\U0001f600\\" * 20_000


def test_other_reasons_to_refuse_a_request(caller, settings):
    body = json.dumps(body_for(caller)).encode()
    other_type = caller.post(PATH, raw=body, **{"Content-Type": "text/csv"})
    settings.BULK_MAX_BYTES = len(body) - 1
    too_large = caller.post(PATH, raw=body)
    malformed = caller.post(PATH, raw=b"{", Idempotency_Key="é")

    assert (other_type.status_code, too_large.status_code) == (415, 413)
    assert messages(too_large) == [f"The request body is larger than {len(body) - 1} bytes"]
    assert messages(malformed) == ["Idempotency-Key must be 1 to 255 printable ASCII characters"]


def test_an_error_of_the_table_has_help_if_the_caller_asks(caller):
    asking_for_help(caller)
    response = caller.post(PATH, body_for(caller, rows=[["email address"], ["x"]]))

    [entry] = response.json()["errors"]
    assert entry["message"] == "Missing column headers: name"
    assert entry["docs"].endswith("#errors-table-missing-columns")
    assert entry["fix"]


def test_the_checks_answer_in_their_order(caller):
    caller.service.permissions = ["sms"]
    caller.service.save()
    other = make_caller()
    unknown = caller.post(PATH, body_for(other, rows=[]))
    channel = caller.post(PATH, body_for(caller, rows=[], reply_to_id="6ce466d0-fd6a-11e5-82f5-e0accb9d11a6"))
    archived = body_for(caller)
    email_template(caller)
    caller.service.templates.update(archived_at="2026-01-01T00:00Z")

    assert messages(unknown) == ["Template not found"]
    assert messages(channel) == ["Service is not allowed to send emails"]
    assert messages(caller.post(PATH, {**archived, "rows": []})) == ["Template has been deleted"]


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "k1"}], ids=["equal bytes", "key"])
def test_a_repeated_request_gets_the_first_response(headers, caller):
    raw = json.dumps(body_for(caller)).encode()

    first, second = (caller.post(PATH, raw=raw, **headers) for _ in range(2))

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second.headers["Idempotent-Replay"] == "true"
    assert (BulkSend.objects.count(), spent(caller)) == (1, 2)


def test_a_key_that_was_used_with_other_bytes_is_refused(caller):
    caller.post(PATH, body_for(caller), Idempotency_Key="k1")

    response = caller.post(PATH, body_for(caller), Idempotency_Key="k1")

    assert (response.status_code, messages(response)) == (422, ["This Idempotency-Key was used with another request"])


def test_a_refused_request_may_be_repeated(caller):
    raw = json.dumps(body_for(caller, rows=[["email address", "name"], ["x", "y"]])).encode()

    assert [caller.post(PATH, raw=raw).status_code for _ in range(2)] == [400, 400]


@pytest.mark.parametrize("key_type", [KeyType.TEST, KeyType.LIVE])
def test_simulated_recipients_and_test_keys_do_not_count(key_type):
    caller = make_caller(key_type=key_type)
    simulated = "simulate-delivered@notifications.service.gov.uk"
    rows = [["email address", "name"], [simulated, "x"], ["a@example.org", "y"]]

    bulk_send = sent(caller, rows=rows)

    assert (bulk_send.simulated, bulk_send.waiting) == (1, 1)
    assert spent(caller) == (0 if key_type is KeyType.TEST else 1)


def test_a_table_of_simulated_recipients_is_finished_at_once(caller):
    rows = [["email address", "name"], ["simulate-delivered@notifications.service.gov.uk", "x"]]

    bulk_send = sent(caller, rows=rows)

    assert bulk_send.state == BulkState.FINISHED
    assert steps.take_next() is None


def test_only_keys_of_the_same_type_read_and_change(caller):
    bulk_send = sent(caller)
    draft = sent(caller, name="draft")
    BulkSend.objects.filter(pk=draft.pk).update(state=BulkState.DRAFT)
    callers = [make_caller(caller.service, KeyType.TEAM), make_caller()]
    ttl_cache.clear()

    for one in callers:
        assert one.get(PATH).json()["bulk_sends"] == []
        assert one.get(f"{PATH}/{bulk_send.id}").status_code == 404
        assert one.post(f"{PATH}/{bulk_send.id}/cancel").status_code == 404
    assert [one["id"] for one in caller.get(PATH).json()["bulk_sends"]] == [str(bulk_send.id)]
    assert caller.get(f"{PATH}/{draft.id}").status_code == 404
    assert messages(caller.get(f"{PATH}/x")) == ["id is not a valid UUID"]
    assert caller.post(f"{PATH}/{bulk_send.id}").status_code == 404


def test_lists_are_filtered_and_paged(caller):
    first, second = sent(caller, name="a"), sent(caller, name="b", scheduled_for=None)
    BulkSend.objects.filter(pk=first.pk).update(state=BulkState.PAUSED)

    assert [one["id"] for one in caller.get(PATH).json()["bulk_sends"]] == [str(second.id), str(first.id)]
    assert [one["id"] for one in caller.get(PATH, {"job_status": "paused"}).json()["bulk_sends"]] == [str(first.id)]
    older = caller.get(PATH, {"older_than": str(second.id)}).json()
    assert [one["id"] for one in older["bulk_sends"]] == [str(first.id)]
    assert messages(caller.get(PATH, {"job_status": "draft", "x": "1"})) == [
        "job_status draft is not one of [scheduled, pending, in progress, paused, finished, cancelled]",
        "Additional properties are not allowed (x was unexpected)",
    ]


def test_the_rows_show_their_messages(caller):
    bulk_send = sent(caller)
    steps.take_next()
    Notification.objects.filter(bulk_row__number=2).update(status=Status.DELIVERED)

    rows = caller.get(f"{PATH}/{bulk_send.id}/rows").json()
    details = caller.get(f"{PATH}/{bulk_send.id}").json()

    assert [(row["row"], row["state"], row["to"], row["status"]) for row in rows["rows"]] == [
        (2, "message", "ana@example.org", "delivered"),
        (3, "message", "bo@example.org", "created"),
    ]
    assert rows["links"]["next"].endswith("/rows?after=3")
    assert caller.get(f"{PATH}/{bulk_send.id}/rows", {"after": "2"}).json()["rows"] == rows["rows"][1:]
    assert details["statistics"] == [{"status": "created", "count": 1}, {"status": "delivered", "count": 1}]
    assert details["rows"] == {
        "waiting": 0,
        "messages": 2,
        "cancelled": 0,
        "simulated": 0,
        "repeat": 0,
        "left_out": 0,
    }
    assert details["data"]["job_status"] == "finished"
    assert caller.get(f"/v2/notifications/{rows['rows'][0]['notification_id']}").json()["body"] == "Dear Ana"


def test_a_bulk_send_counts_one_request(settings):
    caller = make_caller(rate_limit_per_minute=2)
    sent(caller, rows=many_rows(50))
    sent(caller)

    assert caller.post(PATH, body_for(caller)).status_code == 429


def test_failed_messages_are_sent_again_once(caller):
    bulk_send = sent(caller, rows=many_rows(4))
    steps.take_next()
    failed = Notification.objects.filter(bulk_row__number__in=[3, 5])
    failed.advance(Status.TEMPORARY_FAILURE, bulk_send.created_at)
    Notification.objects.filter(bulk_row__number=2).advance(Status.PERMANENT_FAILURE, bulk_send.created_at)

    first, second = (caller.post(f"{PATH}/{bulk_send.id}/retry-failed") for _ in range(2))

    assert (first.status_code, second.status_code) == (201, 200)
    retry = BulkSend.objects.get(retry_of=bulk_send)
    assert first.json()["data"]["id"] == second.json()["data"]["id"] == str(retry.id)
    assert list(retry.rows.order_by("number").values_list("recipient", flat=True)) == [
        "p1@example.org",
        "p3@example.org",
    ]
    assert spent(caller) == 6
    nothing = caller.post(f"{PATH}/{retry.id}/retry-failed")
    assert (nothing.status_code, messages(nothing)) == (409, ["This bulk send has no failed messages"])


def test_a_retry_leaves_out_rows_of_erased_recipients(caller):
    bulk_send = sent(caller, rows=many_rows(2))
    steps.take_next()
    Notification.objects.advance(Status.TEMPORARY_FAILURE, bulk_send.created_at)
    erase("p0@example.org")

    response = caller.post(f"{PATH}/{bulk_send.id}/retry-failed")

    assert response.status_code == 201
    assert list(BulkSend.objects.get(retry_of=bulk_send).rows.values_list("recipient", flat=True)) == ["p1@example.org"]


def test_a_bulk_send_whose_failed_recipients_are_all_erased_has_nothing_to_retry(caller):
    bulk_send = sent(caller, rows=many_rows(1))
    steps.take_next()
    Notification.objects.advance(Status.TEMPORARY_FAILURE, bulk_send.created_at)
    erase("p0@example.org")

    nothing = caller.post(f"{PATH}/{bulk_send.id}/retry-failed")

    assert (nothing.status_code, messages(nothing)) == (409, ["This bulk send has no failed messages"])
    assert not BulkSend.objects.filter(retry_of=bulk_send).exists()


def test_a_daily_limit_without_room_is_refused_and_nothing_is_stored(caller):
    caller.service.daily_limit_email = 1
    caller.service.save()

    response = caller.post(PATH, body_for(caller))

    assert response.status_code == 400
    assert messages(response) == [
        "You only have 1 remaining messages before you reach your daily limit. You've tried to send 2 messages."
    ]
    assert not BulkSend.objects.exists()
