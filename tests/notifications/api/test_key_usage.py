"""The recorded use of a key: its calls by day and its newest errors, without values of the caller."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from config.utc_days import today
from notifications.models import ApiCallError, ApiKeyDay, EndpointCalls
from notifications.models.key_usage import CALLS_ARE_KEPT_FOR, ERRORS_KEPT_PER_KEY
from notifications.submission import usage
from tests.cleaning import clean_up
from tests.notifications.calling import Caller, make_caller, sms_template
from tests.notifications.tokens import make_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller() -> Caller:
    usage.store_pending()
    ApiKeyDay.objects.all().delete()
    ApiCallError.objects.all().delete()
    return make_caller()


def call(caller: Caller, *, secret: str | None = None, **token: Any) -> None:
    signed = make_token(str(caller.service.id), secret or caller.key.secret, **token)
    caller.get("/v2/notifications", Authorization=f"Bearer {signed}")


def days() -> list[tuple[int, int]]:
    usage.store_pending()
    return list(ApiKeyDay.objects.values_list("calls", "refused"))


def test_calls_and_errors_are_added_up_by_day(caller: Caller) -> None:
    template = sms_template(caller)
    caller.send_sms(template)
    assert days() == [(1, 0)]

    caller.send_sms(template)
    caller.send_sms(template, phone_number="12")

    assert days() == [(3, 1)]


def test_calls_are_added_up_by_endpoint(caller: Caller) -> None:
    template = sms_template(caller)
    caller.send_sms(template, phone_number="12")
    for identifier in (uuid.uuid4(), uuid.uuid4()):
        caller.get(f"/v2/notifications/{identifier}/")
        usage.store_pending()

    found = EndpointCalls.objects.filter(key=caller.key).values_list("endpoint", "calls", "refused")

    assert sorted(found) == [("GET /v2/notifications/{notification_id}", 2, 2), ("POST /v2/notifications/sms", 1, 1)]


def test_old_calls_are_deleted(caller: Caller) -> None:
    for ago in (CALLS_ARE_KEPT_FOR, CALLS_ARE_KEPT_FOR + timedelta(days=1)):
        ApiKeyDay.objects.create(key=caller.key, day=today() - ago, calls=1)
        EndpointCalls.objects.create(key=caller.key, day=today() - ago, endpoint="GET /v2/notifications", calls=1)

    clean_up("calls-of-keys")

    assert ApiKeyDay.objects.get().day == EndpointCalls.objects.get().day == today() - CALLS_ARE_KEPT_FOR


def test_an_error_is_stored_by_its_slug(caller: Caller) -> None:
    answer = caller.send_sms(sms_template(caller), phone_number="secret-number")
    days()

    row = ApiCallError.objects.get()
    assert (row.key, row.status, row.kind) == (caller.key, 400, "ValidationError")
    assert f"#errors-{row.slug}>" in answer.headers["Link"]
    assert row.request_id == answer.headers["X-Request-Id"]


def test_a_wrong_clock_is_stored_with_its_difference(caller: Caller) -> None:
    call(caller, iat_offset=-47)
    call(caller, claims={"iat": 10**300})

    assert days() == [(2, 2)]
    behind, senseless = ApiCallError.objects.order_by("id")
    assert behind.slug == "system-clock"
    assert 46 <= behind.seconds_apart <= 49
    assert senseless.seconds_apart is None


def test_calls_of_a_revoked_key_count_for_that_key(caller: Caller) -> None:
    caller.key.revoked_at = caller.key.created_at
    caller.key.save()

    caller.get("/v2/notifications")

    assert days() == [(1, 1)]
    assert ApiCallError.objects.get().slug == "api-key-revoked"


def test_an_unknown_caller_counts_for_no_key(caller: Caller) -> None:
    call(caller, secret="wrong")

    assert days() == []


def test_the_newest_errors_are_kept(caller: Caller) -> None:
    for _ in range(2):
        for _ in range(ERRORS_KEPT_PER_KEY - 5):
            caller.get("/v2/notifications/no-id")
        usage.store_pending()

    assert ApiCallError.objects.count() == ERRORS_KEPT_PER_KEY
    assert days() == [(2 * (ERRORS_KEPT_PER_KEY - 5),) * 2]


def test_a_deleted_key_loses_its_count_and_no_other_key_does(caller: Caller) -> None:
    gone = make_caller()
    gone.get("/v2/notifications")
    caller.get("/v2/notifications")
    gone.service.delete()

    assert days() == [(1, 0)]
