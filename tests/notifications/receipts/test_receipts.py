"""Delivery receipts: authentication, applied and stored values, and receipts that change nothing."""

import json
import uuid
from datetime import UTC, timedelta
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from notifications.delivery import status
from notifications.management.health_checks import reachable_providers
from notifications.models import CallbackDelivery, CountedDay, EarlyReceipt, Notification, ProviderCircuit, Status
from notifications.tasks.receipts import apply_receipts
from tests.factories import make_callback, make_notification, make_template

pytestmark = pytest.mark.django_db

TOKEN = "a-token-of-the-gateway"
PROVIDERS = [
    f"gateway-1=https://gateway.example.org/messages?token={TOKEN}",
    "gateway-2=https://other.example.org/messages?token=of-the-other",
    "mail=smtp://127.0.0.1:2525",
    "sandbox",
]


def post(body: Any = None, name: str = "gateway-1", *, token: str | None = TOKEN, raw: bytes | None = None) -> Any:
    data = json.dumps(body).encode() if raw is None else raw
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with override_settings(PROVIDERS=PROVIDERS):
        return Client(raise_request_exception=False).generic(
            "POST", f"/providers/{name}/receipt", data, content_type="application/json", headers=headers
        )


def report(**fields: object) -> dict[str, object]:
    return {"reference": "m-1", "outcome": "delivered", **fields}


def handed_over(reference: str = "m-1", **fields: Any) -> Notification:
    values = {"status": Status.SENDING, "provider": "gateway-1", "sent_at": timezone.now()}
    return make_notification(provider_reference=reference, **values | fields)


def refused(response: Any) -> tuple[int, str]:
    body = response.json()
    assert body.keys() == {"status_code", "errors"}
    assert body["status_code"] == response.status_code
    return response.status_code, body["errors"][0]["error"]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("delivered", Status.DELIVERED),
        ("pending", Status.PENDING),
        ("temporary-failure", Status.TEMPORARY_FAILURE),
        ("permanent-failure", Status.PERMANENT_FAILURE),
        ("technical-failure", Status.TECHNICAL_FAILURE),
        ("eaten by a dog", Status.TECHNICAL_FAILURE),
    ],
)
def test_an_outcome_sets_the_status_and_an_unknown_one_is_a_technical_failure(outcome: str, expected: Status) -> None:
    message, other = handed_over(), handed_over("m-2")

    answer = post(report(outcome=outcome, code="7", time="2026-11-21T10:00:00Z"))

    message.refresh_from_db()
    other.refresh_from_db()
    assert (answer.status_code, answer.json()) == (200, {})
    assert (message.status, other.status) == (expected, Status.SENDING)
    assert (message.completed_at is not None) == (expected != Status.PENDING)
    assert [(one["at"], one["code"]) for one in message.receipts] == [("2026-11-21T10:00:00+00:00", "7")]


def test_a_receipt_may_name_the_messages_id() -> None:
    message = handed_over()

    post({"id": str(message.id), "outcome": "delivered"})

    message.refresh_from_db()
    assert message.status == Status.DELIVERED


@pytest.mark.parametrize("outcome", ["temporary-failure", "permanent-failure", "technical-failure"])
def test_an_email_that_was_only_accepted_may_still_fail_and_is_called_back_twice(outcome: str) -> None:
    endpoint = make_callback()
    message = handed_over(template=make_template(endpoint.service))
    yesterday = timezone.now() - timedelta(days=1)
    Notification.objects.update(created_at=yesterday)
    Notification.objects.all().advance(Status.DELIVERED, yesterday, is_acceptance_final=True)
    CountedDay.objects.create(service=endpoint.service, day=yesterday.astimezone(UTC).date(), is_settled=True)

    post(report(outcome=outcome))
    post(report(outcome="delivered"))

    message.refresh_from_db()
    assert (message.status, message.is_acceptance_final) == (outcome, False)
    assert message.completed_at is not None
    assert message.completed_at > yesterday
    assert list(CallbackDelivery.objects.order_by("completed_at").values_list("status", flat=True)) == [
        "delivered",
        outcome,
    ]
    assert not CountedDay.objects.get().is_settled  # otherwise the day would count it as delivered permanently


def test_a_receipt_confirms_what_was_only_accepted_and_no_failure_follows() -> None:
    message = handed_over(template=make_template(make_callback().service))
    Notification.objects.all().advance(Status.DELIVERED, timezone.now(), is_acceptance_final=True)

    post(report())
    post(report(outcome="permanent-failure"))

    message.refresh_from_db()
    assert (message.status, message.is_acceptance_final) == (Status.DELIVERED, False)
    assert CallbackDelivery.objects.count() == 1


def test_a_text_that_was_only_accepted_may_be_reported_as_delivered_and_its_day_is_counted_again() -> None:
    message = handed_over(status=Status.SENT, is_acceptance_final=True)
    day = message.created_at.astimezone(UTC).date()
    CountedDay.objects.create(service=message.service, day=day, is_settled=True)

    post(report())

    message.refresh_from_db()
    assert (message.status, message.is_acceptance_final) == (Status.DELIVERED, False)
    assert not CountedDay.objects.get().is_settled


@pytest.mark.fault("B7")
def test_a_repeated_receipt_changes_nothing_and_gets_the_same_answer() -> None:
    message = handed_over()
    post(report())
    message.refresh_from_db()

    answer = post(report())

    again = Notification.objects.get()
    assert answer.status_code == 200
    assert (again.completed_at, again.receipts) == (message.completed_at, message.receipts)
    assert EarlyReceipt.objects.count() == 0


def test_repeated_receipts_cause_one_callback() -> None:
    message = handed_over()
    make_callback(message.service)

    for outcome in ("pending", "delivered", "delivered", "permanent-failure"):
        post(report(outcome=outcome))

    assert [owed.status for owed in CallbackDelivery.objects.all()] == [Status.DELIVERED]


def test_a_paused_provider_is_named_with_a_fix() -> None:
    ProviderCircuit.objects.open("gateway-1", "HTTP 401")

    with override_settings(PROVIDERS=PROVIDERS):
        finding = reachable_providers()

    assert finding.seen == "gateway-1, gateway-2, mail, sandbox"
    assert finding.fix.startswith("Rejected by gateway-1 (HTTP 401)")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("delivered", "pending", Status.DELIVERED),
        ("delivered", "permanent-failure", Status.DELIVERED),
        ("permanent-failure", "delivered", Status.PERMANENT_FAILURE),
        ("pending", "delivered", Status.DELIVERED),
    ],
)
@pytest.mark.fault("B7")
def test_out_of_order_a_status_never_moves_backwards(first: str, second: str, expected: Status) -> None:
    message = handed_over()

    post(report(outcome=first))
    post(report(outcome=second))

    message.refresh_from_db()
    assert message.status == expected
    assert [one["outcome"] for one in message.receipts] == [first, second]


def test_a_message_that_was_sent_abroad_may_still_be_delivered() -> None:
    message = handed_over(status=Status.SENT)

    post(report())

    message.refresh_from_db()
    assert message.status == Status.DELIVERED


def test_a_complaint_is_stored_and_the_status_stays() -> None:
    message = handed_over(status=Status.DELIVERED)

    post(report(outcome="complaint", code="abuse"))

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert [(one["outcome"], one["code"]) for one in message.receipts] == [("complaint", "abuse")]


def test_a_message_of_another_provider_with_the_same_reference_stays() -> None:
    mine, others = handed_over(), handed_over(provider="gateway-2")

    post(report())
    post({"id": str(others.id), "outcome": "delivered"})

    mine.refresh_from_db()
    others.refresh_from_db()
    assert (mine.status, others.status) == (Status.DELIVERED, Status.SENDING)


@pytest.mark.fault("B7")
def test_an_early_receipt_is_applied_once_the_acceptance_is_recorded() -> None:
    message = make_notification()

    assert post(report()).status_code == 200
    apply_receipts()
    assert Notification.objects.get().status == Status.CREATED
    Notification.objects.filter(id=message.id).update(
        status=Status.SENDING, provider="gateway-1", provider_reference="m-1", sent_at=timezone.now()
    )
    apply_receipts()

    message.refresh_from_db()
    assert message.status == Status.DELIVERED
    assert EarlyReceipt.objects.count() == 0


def test_an_uncertain_message_that_has_arrived_is_not_sent_again() -> None:
    message = make_notification(provider="gateway-1", failed_attempts=1)

    post({"id": str(message.id), "outcome": "delivered"})

    message.refresh_from_db()
    assert (message.status, message.sent_at is not None) == (Status.DELIVERED, True)
    assert list(Notification.objects.due()) == []


def test_an_unknown_receipt_is_kept_for_an_hour() -> None:
    post(report(reference="nobody"))
    EarlyReceipt.objects.update(received_at=timezone.now() - timedelta(minutes=59))
    apply_receipts()
    assert EarlyReceipt.objects.count() == 1

    EarlyReceipt.objects.update(received_at=timezone.now() - timedelta(minutes=61))
    assert status.apply_early() == 1
    assert EarlyReceipt.objects.count() == 0


@pytest.mark.parametrize(("token", "expected"), [(None, 401), ("wrong", 403), ("of-the-other", 403)])
def test_no_credentials_are_401_and_wrong_ones_403(token: str | None, expected: int) -> None:
    message = handed_over()

    answer = post(report(), token=token)

    message.refresh_from_db()
    assert refused(answer) == (expected, "AuthError")
    assert (message.status, message.receipts) == (Status.SENDING, [])
    assert EarlyReceipt.objects.count() == 0


@pytest.mark.parametrize("name", ["nobody", "mail", "gateway-3"])
def test_an_unknown_provider_and_one_without_receipts_are_404(name: str) -> None:
    assert refused(post(report(), name)) == (404, "NotFound")


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"[", b"[]", b"null", b"{}", b'{"reference": 5, "outcome": "delivered"}', b'{"reference": "m-1"}'),
        *(b'{"outcome": "delivered"}', b'{"id": "x", "outcome": "delivered"}', b'{"reference": "", "outcome": "x"}'),
        json.dumps(report(time="yesterday")).encode(),
        json.dumps(report(time="2026-02-30T00:00:00Z")).encode(),
        json.dumps(report(time="0001-01-01T00:00:00+23:59")).encode(),
        json.dumps(report(time="9999-12-31T23:59:59-23:59")).encode(),
        json.dumps(report(time="1969-12-31T23:59:59Z")).encode(),
        json.dumps(report(reference="x" * 256)).encode(),
        json.dumps(report(code="\0")).encode(),
    ],
)
def test_an_invalid_form_is_400(raw: bytes) -> None:
    assert refused(post(raw=raw)) == (400, "BadRequestError")
    assert EarlyReceipt.objects.count() == 0


def test_a_receipt_over_the_limit_is_413() -> None:
    assert refused(post(raw=b" " * (1024 * 1024 + 1))) == (413, "PayloadTooLarge")


def test_a_form_has_a_lower_limit_because_parsing_it_takes_75_times_its_size() -> None:
    too_long = b"a=" + b"x" * 768 * 1024
    form = "application/x-www-form-urlencoded"
    with override_settings(PROVIDERS=PROVIDERS):
        answer = Client().generic("POST", "/providers/gateway-1/receipt", too_long, content_type=form)

    assert refused(answer) == (413, "PayloadTooLarge")


def test_a_check_of_the_url_is_answered() -> None:
    with override_settings(PROVIDERS=PROVIDERS):
        assert Client().head("/providers/gateway-1/receipt").status_code == 200
        assert refused(Client().get("/providers/gateway-1/receipt")) == (405, "MethodNotAllowed")


def test_the_sandbox_has_the_same_form() -> None:
    message = handed_over(provider="sandbox")
    with override_settings(SANDBOX_TOKEN=TOKEN):
        answer = post({"id": str(message.id), "outcome": "permanent-failure"}, "sandbox")

    message.refresh_from_db()
    assert (answer.status_code, message.status) == (200, Status.PERMANENT_FAILURE)


def test_an_unknown_id_changes_nothing() -> None:
    message = handed_over()

    assert post({"id": str(uuid.uuid4()), "outcome": "delivered"}).status_code == 200

    message.refresh_from_db()
    assert message.status == Status.SENDING
