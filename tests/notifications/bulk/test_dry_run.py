"""Dry runs of bulk sends. Source: docs/reference/bulk-sending.md §4."""

from typing import Any

import pytest
from django.conf import LazySettings

from notifications.models import (
    BulkRow,
    BulkSend,
    Channel,
    DailyCounter,
    IdempotencyRecord,
    KeyType,
    Notification,
    SuppressionReason,
)
from notifications.submission import ttl_cache
from notifications.submission.bulk.dry_run import NAMES
from tests.factories import make_service, make_suppression, make_template
from tests.notifications.bulk.test_vectors_over_http import OVER_HTTP, caller_for, source_of
from tests.notifications.bulk_tables.test_vectors import expanded
from tests.notifications.calling import Caller, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

PATH = "/v2/notifications/bulk"
STORED = (BulkSend, BulkRow, Notification, IdempotencyRecord)


@pytest.fixture
def caller() -> Caller:
    return make_caller()


def dry_run(caller: Caller, body: Any, **headers: str) -> Any:
    answer = caller.post(f"{PATH}?dry_run=true", body, **headers)
    assert answer.status_code == 200, answer.content
    assert not any(model.objects.exists() for model in STORED)
    return answer.json()


def failed(answer: Any) -> dict[str, Any]:
    """Return the checks that did not succeed: name → None, or the messages."""
    assert [one["check"] for one in answer["checks"]] == list(NAMES)
    return {
        one["check"]: None if one["ok"] is None else [error["message"] for error in one["errors"]]
        for one in answer["checks"]
        if one["ok"] is not True
    }


@pytest.mark.parametrize("case", OVER_HTTP, ids=lambda case: case["id"])
def test_the_verdict_is_that_of_the_contract(case: dict[str, Any], settings: LazySettings) -> None:
    given, expect = expanded(case["given"]), expanded(case["expect"])
    settings.BULK_MAX_ROWS = given.get("service", {}).get("max_rows", 100_000)
    ttl_cache.clear()
    caller = caller_for(given)
    counted = list(DailyCounter.objects.values_list("count", flat=True))
    template = given["template"]
    made = make_template(caller.service, Channel(template["type"]), template["content"], template.get("subject"))

    answer = dry_run(caller, {"template_id": str(made.pk), "name": "x", **source_of(given)})

    assert answer["accepted"] is (expect["status"] == 201)
    found = [message for texts in failed(answer).values() if texts for message in texts]
    assert found == [error["message"] for error in expect.get("file_errors", [])]
    assert list(DailyCounter.objects.values_list("count", flat=True)) == counted
    if answer["columns"] is not None and "columns" in expect:
        assert answer["columns"] == expect["columns"]


def test_the_answer_shows_the_rows(caller: Caller) -> None:
    text = sms_template(caller, "Hello ((name))")
    rows = [
        ["phone number", "name", "colour"],
        ["07700 900123", "Ana", "red"],
        ["1", "Bo", ""],
        ["07700 900125", "x" * 200, ""],
    ]
    body = {"template_id": str(text.pk), "name": "spring.csv", "rows": rows}

    answer = dry_run(caller, body, Idempotency_Key="k")

    assert failed(answer).keys() == {"rows"}
    assert answer["columns"]["unused"] == ["colour"]
    assert (answer["rows"]["total"], answer["rows"]["with_errors"]) == (3, 1)
    assert [one["row"] for one in answer["rows"]["errors"]] == [3]
    assert answer["preview"][0] == {"row": 2, "to": "07700 900123", "content": {"body": "Hello Ana"}, "parts": 1}
    assert answer["parts"] == 3
    assert answer["limits"].keys() == {"sms", "international_sms"}
    assert answer["sends_at"] is None
    good = dry_run(caller, {**body, "rows": rows[:2]})
    assert good["accepted"] is True
    assert good["sends_at"] is not None


def test_an_email_shows_its_subject_and_has_no_parts(caller: Caller) -> None:
    template = email_template(caller, "Dear ((name))", "For ((name))")
    body = {"template_id": str(template.pk), "name": "x", "csv": "email address,name\nana@example.org,Ana"}

    answer = dry_run(caller, body)

    content = {"subject": "For Ana", "body": "Dear Ana"}
    assert answer["preview"] == [{"row": 2, "to": "ana@example.org", "content": content, "parts": None}]
    assert answer["parts"] is None


def test_every_check_runs_that_earlier_errors_do_not_prevent(caller: Caller) -> None:
    text = sms_template(caller)
    unknown = "4a3f20e0-5f0d-4a53-9a35-2f0f6f1c7a10"

    no_source = failed(dry_run(caller, {"template_id": str(text.pk), "name": 7, "reply_to_id": unknown}))

    assert no_source["schema"] == ["name 7 is not of type string"]
    assert no_source["source"] == ["You should specify either rows or csv"]
    assert "does not exist in database" in no_source["sender"][0]
    assert no_source["rows"] is no_source["unreadable"] is None
    no_template = failed(dry_run(caller, {"template_id": unknown, "name": "x", "csv": "phone number\n1"}))
    assert no_template["template"] == ["Template not found"]
    assert no_template["channel"] is no_template["sender"] is no_template["missing_columns"] is None
    unclosed = failed(dry_run(caller, {"template_id": str(text.pk), "name": "x", "csv": 'phone number\n"1'}))
    assert unclosed["unclosed_quote"] == ["Error converting to CSV: the quotation mark in row 2 is not closed"]
    assert unclosed["no_rows"] is None


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("dry_run=yes", "dry_run yes is not one of [true, false]"),
        ("dryrun=true", "Additional properties are not allowed (dryrun was unexpected)"),
    ],
)
def test_other_parameters_are_refused_and_nothing_is_sent(caller: Caller, query: str, message: str) -> None:
    template = sms_template(caller)
    body = {"template_id": str(template.pk), "name": "x", "rows": [["phone number"], ["07700 900123"]]}

    answer = caller.post(f"{PATH}?{query}", body)

    assert (answer.status_code, messages(answer)) == (400, [message])
    assert not BulkSend.objects.exists()


def test_the_answer_counts_the_rows_with_a_suppressed_recipient(caller: Caller) -> None:
    def suppress(recipient: str, reason: SuppressionReason = SuppressionReason.MANUAL) -> None:
        make_suppression(caller.service, recipient, reason)

    suppress("ana@example.com")
    suppress("bo@example.com", SuppressionReason.UNSUBSCRIBE)
    suppress("cy@example.com", SuppressionReason.UNSUBSCRIBE)
    make_suppression(make_service(), "other@example.com")
    rows = [
        ["email address", "one_click_unsubscribe_url"],
        ["Ana@example.com", ""],
        ["ana@example.com", ""],
        ["bo@example.com", ""],
        ["cy@example.com", "https://lists.example.org/u"],
        ["other@example.com", ""],
    ]
    plain = {"template_id": str(email_template(caller).pk), "name": "x", "rows": rows}
    subscription = plain | {"template_id": str(email_template(caller, unsubscribe_link=True).pk)}
    test_key = make_caller(caller.service, KeyType.TEST)

    counts = [dry_run(one, body)["rows"]["suppressed"] for one, body in [(caller, plain), (caller, subscription)]]

    assert counts == [3, 4]
    assert dry_run(test_key, plain)["rows"]["suppressed"] == 0
