"""A request that is sent twice with one Idempotency-Key is done once. Source: docs/reference/sending-api.md §15."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from config.rest.idempotency import IdempotencyKey
from notifications import errors
from notifications.models import DailyCounter, IdempotencyRecord, KeyType, Notification
from notifications.submission.sending.idempotency import claimed
from tests.cleaning import clean_up
from tests.factories import make_api_key, make_reply_to, make_service
from tests.notifications.calling import NUMBER, Caller, email_template, make_caller, messages, sms_template

pytestmark = pytest.mark.django_db

KEY = {"Idempotency-Key": "order-7"}


def test_the_same_request_gets_the_first_answer_and_nothing_is_done_twice() -> None:
    caller = make_caller()
    template = email_template(caller, "Dear ((name))")
    fields: dict[str, Any] = {"personalisation": {"name": "a-b"}, "sanitise_content_for": ["name"]}

    first = caller.send_email(template, headers=KEY, **fields)
    second = caller.send_email(template, headers=KEY, **fields)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert ("Idempotent-Replay" in first.headers, second.headers["Idempotent-Replay"]) == (False, "true")
    assert Notification.objects.count() == 1
    assert DailyCounter.objects.get().count == 1


def test_the_order_of_names_and_white_space_do_not_matter_but_values_and_paths_do() -> None:
    caller = make_caller()
    template = sms_template(caller)
    one = f'{{"phone_number": "{NUMBER}", "template_id": "{template.id}"}}'.encode()
    other = f'{{ "template_id":"{template.id}",\n"phone_number":"{NUMBER}"}}'.encode()

    first = caller.post("/v2/notifications/sms", raw=one, **KEY)
    again = caller.post("/v2/notifications/sms/", raw=other, **KEY)
    changed = caller.send_sms(template, headers=KEY, reference="x")
    elsewhere = caller.post("/v2/notifications/email", raw=one, **KEY)

    assert first.json() == again.json()
    for refused in (changed, elsewhere):
        assert refused.status_code == 422
        assert [entry["error"] for entry in refused.json()["errors"]] == ["IdempotencyKeyReused"]
        assert messages(refused) == ["This Idempotency-Key was used with another request"]


def test_a_key_belongs_to_the_api_key_that_sent_it() -> None:
    caller = make_caller()
    template = sms_template(caller)
    colleague = Caller(make_api_key(caller.service, KeyType.TEST))

    assert caller.send_sms(template, headers=KEY).json() != colleague.send_sms(template, headers=KEY).json()


def test_a_rejected_request_releases_its_key() -> None:
    caller = make_caller()
    template = sms_template(caller, "Hello ((name))")

    assert caller.send_sms(template, headers=KEY).status_code == 400
    assert caller.send_sms(template, headers=KEY, personalisation={"name": "Jo"}).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_a_failed_request_releases_its_key_and_stores_nothing() -> None:
    caller = make_caller()
    template = sms_template(caller)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE notifications_notification RENAME TO elsewhere")
    try:
        failed = caller.send_sms(template, headers=KEY)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE elsewhere RENAME TO notifications_notification")

    assert failed.status_code == 500
    assert not Notification.objects.exists()
    assert caller.send_sms(template, headers=KEY).status_code == 201


@pytest.mark.usefixtures("noon")
def test_a_repeated_request_is_answered_after_the_daily_limit_and_counts_for_the_rate() -> None:
    caller = make_caller(daily_limit_sms=1, rate_limit_per_minute=2)
    template = sms_template(caller)
    first = caller.send_sms(template, headers=KEY)

    assert caller.send_sms(template, headers=KEY).json() == first.json()
    assert caller.send_sms(template, headers=KEY).json()["errors"][0]["error"] == "RateLimitError"


def test_with_an_idempotency_key_the_body_is_checked_before_the_daily_limit() -> None:
    caller = make_caller(daily_limit_sms=0)

    response = caller.post("/v2/notifications/sms", raw=b"[", **KEY)

    assert messages(response) == ["Invalid JSON supplied in POST data"]


def test_a_request_to_a_simulated_recipient_is_repeated_too() -> None:
    caller = make_caller()
    template = sms_template(caller)

    first, second = (caller.send_sms(template, headers=KEY, phone_number="07700900000") for _ in range(2))

    assert first.json() == second.json()
    assert not Notification.objects.exists()


@pytest.mark.parametrize("key", ["", "k" * 256, "clé"])
def test_a_malformed_key_is_rejected(key: str) -> None:
    caller = make_caller()

    response = caller.send_sms(sms_template(caller), headers={"Idempotency-Key": key})

    assert messages(response) == ["Idempotency-Key must be 1 to 255 printable ASCII characters"]
    assert response.status_code == 400


@pytest.mark.parametrize("key", ["k", "two words", "~" * 255])
def test_a_well_formed_key_of_any_length_is_accepted(key: str) -> None:
    caller = make_caller()

    assert caller.send_sms(sms_template(caller), headers={"Idempotency-Key": key}).status_code == 201


def test_after_a_day_a_key_is_new() -> None:
    caller = make_caller()
    template = sms_template(caller)
    first = caller.send_sms(template, headers=KEY)
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))

    second = caller.send_sms(template, headers=KEY, reference="another body")

    assert second.status_code == 201
    assert second.json()["id"] != first.json()["id"]
    assert caller.send_sms(template, headers=KEY, reference="another body").json() == second.json()


def test_records_older_than_a_day_are_purged() -> None:
    caller = make_caller()
    caller.send_sms(sms_template(caller), headers=KEY)
    assert clean_up("message-keys").removed == 0
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=25))

    assert clean_up("message-keys").removed == 1
    assert not IdempotencyRecord.objects.exists()


def test_a_key_of_a_dead_request_is_taken_over() -> None:
    caller = make_caller()
    IdempotencyRecord.objects.create(
        api_key=caller.key, key="order-7", fingerprint="x", claimed_until=timezone.now() - timedelta(seconds=1)
    )

    assert caller.send_sms(sms_template(caller), headers=KEY).status_code == 201


def test_an_answer_that_comes_after_its_claim_was_taken_over_stores_nothing() -> None:
    key = make_api_key()
    with claimed(key, IdempotencyKey("k", "one")) as slow:
        IdempotencyRecord.objects.update(claimed_until=timezone.now() + timedelta(seconds=99))
        with pytest.raises(errors.IdempotencyKeyInUse):
            slow.keep({"id": "late"})

    assert IdempotencyRecord.objects.get().answer is None


def test_a_repeated_request_waits_for_the_first_answer() -> None:
    caller = make_caller()
    template = sms_template(caller)
    caller.send_sms(template, headers=KEY)
    IdempotencyRecord.objects.update(answer=None, claimed_until=timezone.now() + timedelta(seconds=60))

    response = caller.send_sms(template, headers=KEY)

    assert response.status_code == 409
    assert 1 < int(response.headers["Retry-After"]) <= 60  # the rest of the claim, which a dead process leaves behind
    assert messages(response) == ["A request with this Idempotency-Key is still being answered"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.fault("D4")
def test_concurrent_equal_requests_create_one_message_and_get_one_answer() -> None:
    caller = make_caller(service=make_service())
    make_reply_to(caller.service)
    template = email_template(caller)

    def send(_: int) -> tuple[int, str]:
        try:
            response = Caller(caller.key).send_email(template, headers=KEY)
            return response.status_code, response.json()["id"]
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = set(pool.map(send, range(18)))

    assert len(answers) == 1
    assert Notification.objects.filter(service=caller.service).count() == 1
