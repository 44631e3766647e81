"""Which messages a suppression stops. Source: docs/reference/suppressions.md §1."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from notifications.admin.messages import status_titles, timeline
from notifications.delivery import suppressions
from notifications.models import (
    Channel,
    DailyCounter,
    KeyType,
    Notification,
    SandboxMessage,
    Status,
    Suppression,
    SuppressionReason,
)
from notifications.submission import ttl_cache
from notifications.submission.bulk import steps
from tests.cleaning import clean_up
from tests.factories import (
    make_callback,
    make_notification,
    make_service,
    make_suppression,
    make_template,
)
from tests.notifications.calling import Caller, email_template, make_caller, messages, sms_template
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db

ANA = "ana@example.com"
NOW = timezone.now()
LATER, EARLIER = NOW + timedelta(days=1), NOW - timedelta(days=1)
UNSUBSCRIBE, BOUNCE = SuppressionReason.UNSUBSCRIBE, SuppressionReason.HARD_BOUNCE
URL = "https://lists.example.org/u/7"


@pytest.fixture
def caller() -> Caller:
    return make_caller(name="Tides")


@pytest.mark.parametrize("keeps_hash", [False, True], ids=["recipient", "hash"])
@pytest.mark.parametrize(
    ("suppression", "message", "is_stopped"),
    [
        ({}, {}, True),
        ({"recipient": "ANA@Example.com"}, {}, True),
        ({"recipient": "bo@example.com"}, {}, False),
        ({"service": None}, {}, True),
        ({"service": "another"}, {}, False),
        ({"expires_at": LATER}, {}, True),
        ({"created_at": NOW - timedelta(days=2), "expires_at": EARLIER}, {}, False),
        ({"lifted_at": EARLIER}, {}, False),
        ({"reason": BOUNCE}, {}, True),
        ({"reason": SuppressionReason.COMPLAINT}, {}, True),
        ({"reason": UNSUBSCRIBE}, {}, False),
        ({"reason": UNSUBSCRIBE}, {"unsubscribe_link": True}, True),
        ({"reason": UNSUBSCRIBE}, {"one_click_unsubscribe_url": URL}, True),
        ({"channel": Channel.SMS}, {}, False),
        ({}, {"key_type": KeyType.TEST}, False),
        ({}, {"key_type": KeyType.TEAM}, True),
    ],
)
def test_a_suppression_stops_its_messages_and_no_others(
    suppression: dict[str, Any], message: dict[str, Any], is_stopped: bool, keeps_hash: bool
) -> None:
    service = make_service()
    fields = {"service": service, "recipient": ANA, **suppression}
    if fields["service"] == "another":
        fields["service"] = make_service()
    stored = make_suppression(**fields)
    if keeps_hash:
        Suppression.objects.keep_hash_of(stored.normalised_recipient)
    sent = make_notification(make_template(service), ANA, **message)
    is_subscription = bool(message.get("unsubscribe_link") or message.get("one_click_unsubscribe_url"))
    found = Suppression.objects.reasons(service.id, Channel.EMAIL, [ANA], is_subscription=is_subscription)

    drain_messages()

    sent.refresh_from_db()
    if message.get("key_type") != KeyType.TEST:
        assert found == ({ANA: stored.reason} if is_stopped else {})
    if not is_stopped:
        assert sent.status == Status.DELIVERED
        assert sent.suppressed_by is None
        return
    assert (sent.status, sent.provider, sent.suppressed_by) == (Status.PERMANENT_FAILURE, "", stored.reason)
    assert sent.completed_at is not None
    assert not SandboxMessage.objects.exists()


def test_a_text_message_to_a_suppressed_number_is_not_sent() -> None:
    service = make_service()
    make_suppression(service, "07700 900123")
    message = make_notification(make_template(service, Channel.SMS), "+44 7700 900 123")

    drain_messages()

    message.refresh_from_db()
    assert message.status == Status.PERMANENT_FAILURE
    assert message.suppressed_by == SuppressionReason.MANUAL


def test_the_post_is_accepted_counted_and_answered_by_a_callback(caller: Caller) -> None:
    endpoint = make_callback(caller.service)
    make_suppression(caller.service, ANA, BOUNCE)

    answer = caller.send_email(email_template(caller), email_address=ANA)
    drain_messages()

    assert answer.status_code == 201
    message = Notification.objects.get()
    assert caller.get(f"/v2/notifications/{message.id}").json()["status"] == "permanent-failure"
    assert DailyCounter.objects.get().count == 1
    assert endpoint.deliveries.get().notification_id == message.id


def test_the_page_of_the_message_names_the_reason() -> None:
    service = make_service()
    make_suppression(service, ANA, SuppressionReason.COMPLAINT)
    message = make_notification(make_template(service), ANA)

    drain_messages()

    message.refresh_from_db()
    assert timeline.sentence(message) == ("Nothing was sent, because the recipient is suppressed. Reason: complaint.")
    assert status_titles.of(message) == "Suppressed"
    assert [moment.title for moment in timeline.of(message)] == ["Accepted", "Queued", "Suppressed"]


def test_a_service_may_reject_sends_to_suppressed_recipients(caller: Caller) -> None:
    caller.service.suppressed_sends_are_rejected = True
    caller.service.save()
    make_suppression(caller.service, ANA, BOUNCE)
    make_suppression(None, "07700900123")
    make_suppression(caller.service, "bo@example.com", UNSUBSCRIBE)
    plain, subscription = email_template(caller), email_template(caller, unsubscribe_link=True)

    refused = caller.send_email(plain, email_address=ANA)
    refused_text = caller.send_sms(sms_template(caller), phone_number="07700900123")
    passed = caller.send_email(plain, email_address="bo@example.com")
    refused_subscription = caller.send_email(subscription, email_address="bo@example.com")
    refused_by_url = caller.send_email(plain, email_address="bo@example.com", one_click_unsubscribe_url=URL)

    assert refused.status_code == 400
    assert messages(refused) == ["Can't send to this recipient because it is suppressed: hard bounce"]
    assert refused.json()["errors"][0]["error"] == "BadRequestError"
    assert messages(refused_text) == ["Can't send to this recipient because it is suppressed: by hand"]
    assert passed.status_code == 201
    assert messages(refused_subscription) == messages(refused_by_url)
    assert messages(refused_by_url) == ["Can't send to this recipient because it is suppressed: unsubscribed"]
    assert Notification.objects.count() == 1


def test_a_test_key_ignores_suppressions(caller: Caller) -> None:
    caller.service.suppressed_sends_are_rejected = True
    caller.service.save()
    make_suppression(caller.service, ANA, BOUNCE)
    test_caller = make_caller(caller.service, KeyType.TEST)

    answer = test_caller.send_email(email_template(caller), email_address=ANA)
    drain_messages()

    assert answer.status_code == 201
    assert Notification.objects.get().status == Status.DELIVERED


def test_a_send_reads_the_suppressions_only_if_the_service_rejects(caller: Caller) -> None:
    template = email_template(caller)
    make_suppression(caller.service, ANA)

    def about_suppressions() -> int:
        ttl_cache.clear()
        caller.send_email(template)  # fills the caches
        with CaptureQueriesContext(connection) as queries:
            assert caller.send_email(template).status_code == 201
        return sum("notifications_suppression" in query["sql"] for query in queries.captured_queries)

    assert about_suppressions() == 0
    caller.service.suppressed_sends_are_rejected = True
    caller.service.save()
    assert about_suppressions() == 1


def test_a_dry_run_names_the_reason(caller: Caller) -> None:
    make_suppression(caller.service, ANA, BOUNCE)
    body = {"email_address": ANA, "template_id": str(email_template(caller).id)}

    accepted = caller.post("/v2/notifications/email?dry_run=true", body).json()
    caller.service.suppressed_sends_are_rejected = True
    caller.service.save()
    ttl_cache.clear()
    refused = caller.post("/v2/notifications/email?dry_run=true", body).json()

    assert (accepted["accepted"], accepted["suppressed_by"], accepted["sends_at"]) == (True, "hard_bounce", None)
    assert (refused["accepted"], refused["suppressed_by"], refused["sends_at"]) == (False, "hard_bounce", None)
    (check,) = [one for one in refused["checks"] if not one["ok"]]
    assert check["check"] == "suppression"


def test_a_row_of_a_bulk_send_ends_at_once(caller: Caller) -> None:
    make_suppression(caller.service, ANA)
    body = {
        "template_id": str(email_template(caller).id),
        "name": "Spring letter",
        "rows": [["email address"], [ANA], ["bo@example.com"]],
    }

    assert caller.post("/v2/notifications/bulk", body).status_code == 201
    while steps.take_next() is not None:
        pass
    drain_messages()

    assert dict(Notification.objects.values_list("recipient", "status")) == {
        ANA: "permanent-failure",
        "bo@example.com": "delivered",
    }


def test_an_equal_suppression_is_stored_once_and_the_later_end_counts() -> None:
    service = make_service()

    def added(**fields: Any) -> tuple[Suppression, bool]:
        values = make_suppression(make_service(), ANA).__dict__
        names = ("channel", "recipient", "normalised_recipient", "reason", "source")
        return suppressions.add(Suppression(service=service, **{name: values[name] for name in names}, **fields))

    first, is_new = added(expires_at=LATER)
    second, is_second_new = added()
    third, is_third_new = added(expires_at=LATER)

    assert (is_new, is_second_new, is_third_new) == (True, False, False)
    assert first.pk == second.pk == third.pk
    assert third.expires_at is None


def test_after_the_end_of_a_suppression_a_new_one_is_stored() -> None:
    service = make_service()
    ended = make_suppression(service, ANA, created_at=NOW - timedelta(days=2), expires_at=EARLIER)
    fresh = Suppression(
        service=service,
        channel=ended.channel,
        recipient=ANA,
        normalised_recipient=ANA,
        reason=ended.reason,
        source=ended.source,
    )

    assert suppressions.add(fresh) == (fresh, True)
    ended.refresh_from_db()
    assert (ended.lifted_at, ended.lift_reason) == (EARLIER, "Expired")


@pytest.mark.parametrize("of_installation", [False, True])
def test_the_database_allows_one_active_suppression_for_each_reason(of_installation: bool) -> None:
    service = None if of_installation else make_service()
    make_suppression(service, ANA)
    make_suppression(service, ANA, BOUNCE)
    make_suppression(service, ANA, lifted_at=NOW)

    with pytest.raises(IntegrityError), transaction.atomic():
        make_suppression(service, ANA)


def test_ended_suppressions_are_deleted_after_a_year() -> None:
    service, old = make_service(), NOW - timedelta(days=366)
    make_suppression(service, "lifted@example.com", created_at=old, lifted_at=old)
    make_suppression(None, "expired@example.com", created_at=old - timedelta(days=1), expires_at=old)
    make_suppression(service, "lately@example.com", created_at=old, lifted_at=NOW - timedelta(days=364))
    make_suppression(service, "active@example.com", created_at=old)

    assert clean_up("suppressions").removed == 2
    assert set(Suppression.objects.values_list("recipient", flat=True)) == {"lately@example.com", "active@example.com"}
