"""An email that replaces a failed text message. Source: docs/reference/sending-api.md §18.1."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from notifications.delivery import status
from notifications.delivery.messages import Receipt, ReceiptOutcome
from notifications.models import (
    Channel,
    DailyCounter,
    Fallback,
    FallbackState,
    KeyType,
    LimitKind,
    Notification,
    Service,
    Status,
    Template,
)
from notifications.models.status import FAILURES
from notifications.tasks import end_without_receipt
from tests.factories import make_callback, make_suppression, make_template
from tests.notifications.calling import Caller, email_template, make_caller, messages, sms_template
from tests.notifications.draining import claim_one, drain_messages

pytestmark = pytest.mark.django_db

TO = "ana@example.com"


@pytest.fixture
def caller() -> Caller:
    return make_caller()


@pytest.fixture
def template(caller: Caller) -> Template:
    return email_template(caller, "Dear ((name)), we could not text you", "For ((name))")


def send(caller: Caller, template: Template | None, to: str = TO, **fields: Any) -> Any:
    """Send a text with a fallback by HTTP, and return the response."""
    fallback = {"email_address": to, "template_id": str(template.id)} if template else None
    values = {"personalisation": {"name": "Anastasia"}, "fallback": fallback, "reference": "case-7"}
    return caller.send_sms(sms_template(caller, "Hello ((name))"), **values | fields)


def sent_text(caller: Caller, template: Template, **fields: Any) -> Notification:
    answer = send(caller, template, **fields)
    assert answer.status_code == 201, answer.content
    return Notification.objects.get(id=answer.json()["id"])


def fail(text: Notification, to: Status = Status.PERMANENT_FAILURE) -> int:
    return Notification.objects.filter(id=text.id).advance(to, timezone.now())


def emails() -> list[Notification]:
    return list(Notification.objects.filter(channel=Channel.EMAIL))


def record(caller: Caller, message: Notification) -> dict[str, Any]:
    body: dict[str, Any] = caller.get(f"/v2/notifications/{message.id}").json()
    return {name: body[name] for name in ("fallback", "fallback_of")}


# Acceptance


def test_the_email_waits_encrypted_until_the_text_fails(caller: Caller, template: Template) -> None:
    text = sent_text(caller, template)

    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {Fallback._meta.db_table}")  # noqa: S608  the name of a table
        stored = b"".join(
            bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
            for value in cursor.fetchone()
        )
    assert b"ana@" not in stored
    assert b"Anastasia" not in stored
    assert not emails()
    assert record(caller, text) == {"fallback": {"status": "waiting", "notification_id": None}, "fallback_of": None}
    assert list(Fallback.objects.of_recipient(TO)) == [Fallback.objects.get(message=text)]


def test_a_text_without_a_fallback_has_none(caller: Caller) -> None:
    text = Notification.objects.get(id=send(caller, None).json()["id"])

    assert record(caller, text) == {"fallback": None, "fallback_of": None}


@pytest.mark.parametrize(
    ("fallback", "expected"),
    [
        (7, ["fallback 7 is not of type object, null"]),
        (
            {},
            ["fallback.email_address is a required property", "fallback.template_id is a required property"],
        ),
        (
            {"email_address": "ana", "template_id": "x", "name": 1},
            [
                "fallback.email_address Not a valid email address",
                "fallback.template_id is not a valid UUID",
                "Additional properties are not allowed (fallback.name was unexpected)",
            ],
        ),
        (
            {"email_address": 7, "template_id": str(uuid4())},
            ["fallback.email_address 7 is not of type string"],
        ),
        ({"email_address": TO, "template_id": str(uuid4())}, ["fallback: Template not found"]),
    ],
)
def test_a_wrong_fallback_is_refused_with_all_its_errors(caller: Caller, fallback: Any, expected: list[str]) -> None:
    answer = send(caller, None, fallback=fallback)

    assert answer.status_code == 400
    assert messages(answer) == expected
    assert not Notification.objects.exists()


def test_the_email_passes_every_check_of_an_email(caller: Caller, template: Template) -> None:
    def refused(other: Template) -> str:
        answer = send(caller, other)
        assert answer.status_code == 400, answer.content
        return str(messages(answer)[0])

    assert "sms template is not suitable" in refused(sms_template(caller))
    assert refused(make_template()) == "fallback: Template not found"
    needs_more = email_template(caller, "Dear ((name)), bring ((item))")
    assert refused(needs_more) == "fallback: Missing personalisation: item"
    assert not Notification.objects.exists()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"permissions": ["sms"]}, "fallback: Service is not allowed to send emails"),
        (
            {"suppressed_sends_are_rejected": True},
            "fallback: Can't send to this recipient because it is suppressed: by hand",
        ),
    ],
)
def test_the_service_must_be_able_to_send_the_email(fields: dict[str, Any], expected: str) -> None:
    caller = make_caller(**fields)
    make_suppression(caller.service, TO)

    answer = send(caller, email_template(caller))

    assert messages(answer) == [expected]
    assert not Notification.objects.exists()


def test_a_dry_run_checks_the_fallback_and_stores_nothing(caller: Caller, template: Template) -> None:
    def run(other: Template) -> Any:
        body = {
            "phone_number": "07700900123",
            "template_id": str(sms_template(caller, "Hello ((name))").id),
            "personalisation": {"name": "Ana"},
            "fallback": {"email_address": TO, "template_id": str(other.id)},
        }
        answer = caller.post("/v2/notifications/sms?dry_run=true", body).json()
        return next(one for one in answer["checks"] if one["check"] == "fallback")

    assert run(template)["ok"] is True
    assert run(make_template())["errors"][0]["message"] == "fallback: Template not found"
    assert not Fallback.objects.exists()


@pytest.mark.parametrize(
    ("to", "number"), [("simulate-delivered@notifications.service.gov.uk", "07700900123"), (TO, "07700900000")]
)
def test_nothing_is_kept_for_a_simulated_recipient(caller: Caller, template: Template, to: str, number: str) -> None:
    answer = send(caller, template, to, phone_number=number)

    assert answer.status_code == 201
    assert not Fallback.objects.exists()


# The failure


@pytest.mark.parametrize("failure", sorted(FAILURES))
def test_a_failure_submits_the_email_once(caller: Caller, template: Template, failure: Status) -> None:
    text = sent_text(caller, template)

    assert fail(text, failure) == 1
    assert fail(text, Status.TEMPORARY_FAILURE) == 0

    (email,) = emails()
    assert (email.recipient, email.normalised_recipient) == (TO, TO)
    assert (email.subject, email.body) == ("For Anastasia", "Dear Anastasia, we could not text you")
    assert (email.reference, email.key_type, email.api_key_id) == ("case-7", KeyType.LIVE, caller.key.id)
    assert (email.status, email.template_id, email.reply_to) == (
        Status.CREATED,
        template.id,
        caller.service.reply_to_addresses.get(),
    )
    assert record(caller, text)["fallback"] == {"status": "submitted", "notification_id": str(email.id)}
    assert record(caller, email) == {"fallback": None, "fallback_of": str(text.id)}
    assert Fallback.objects.get().encrypted_content is None
    counter = DailyCounter.objects.get(service=caller.service, kind=LimitKind.EMAIL)
    assert counter.count == 1


@pytest.mark.parametrize("ending", [Status.DELIVERED, Status.SENT, Status.CANCELLED])
def test_other_endings_submit_nothing(caller: Caller, template: Template, ending: Status) -> None:
    text = sent_text(caller, template)

    fail(text, ending)

    assert not emails()
    assert Fallback.objects.get().state == FallbackState.WAITING


def test_repeated_and_later_receipts_change_nothing(caller: Caller, template: Template) -> None:
    text = sent_text(caller, template)
    now = timezone.now()
    sending = {"status": Status.SENDING, "provider": "gw", "provider_reference": "r1", "sent_at": now, "attempt": 1}
    Notification.objects.filter(id=text.id).update(**sending)

    for outcome in (ReceiptOutcome.PERMANENT_FAILURE, ReceiptOutcome.PERMANENT_FAILURE, ReceiptOutcome.DELIVERED):
        status.apply("gw", Receipt(outcome=outcome, reference="r1", notification_id=None, code="", at=now))

    text.refresh_from_db()
    assert text.status == Status.PERMANENT_FAILURE
    assert len(emails()) == 1


def test_a_text_without_a_receipt_ends_in_a_failure_with_its_email(caller: Caller, template: Template) -> None:
    text = sent_text(caller, template)
    long_ago = timezone.now() - timedelta(hours=73)
    Notification.objects.filter(id=text.id).update(status=Status.PENDING, sent_at=long_ago, provider="gw")

    end_without_receipt()

    assert len(emails()) == 1


def test_a_failed_claim_submits_the_email_and_stores_the_callback(caller: Caller, template: Template) -> None:
    make_callback(caller.service)
    text = sent_text(caller, template)
    claim = claim_one(text.id)
    assert claim is not None

    claim.fail(status=Status.TECHNICAL_FAILURE, at=timezone.now())

    assert len(emails()) == 1
    assert text.callbackdelivery_set.count() == 1


@pytest.mark.parametrize(
    ("number", "expected"), [("07700900003", "temporary-failure"), ("07700900002", "permanent-failure")]
)
def test_the_special_numbers_of_test_keys_submit_a_test_email(
    caller: Caller, template: Template, number: str, expected: str
) -> None:
    tester = make_caller(caller.service, KeyType.TEST)
    text = sent_text(tester, template, phone_number=number)

    drain_messages(Channel.SMS)
    drain_messages(Channel.EMAIL)

    text.refresh_from_db()
    (email,) = emails()
    assert text.status == expected
    assert (email.status, email.key_type) == (Status.DELIVERED, KeyType.TEST)
    assert not DailyCounter.objects.filter(kind=LimitKind.EMAIL).exists()


def test_if_the_daily_limit_is_used_up_no_email_is_sent(caller: Caller, template: Template) -> None:
    Service.objects.filter(pk=caller.service.pk).update(daily_limit_email=0)
    text = sent_text(caller, template)

    assert fail(text) == 1

    text.refresh_from_db()
    assert text.status == Status.PERMANENT_FAILURE
    assert not emails()
    assert record(caller, text)["fallback"] == {"status": "limit-reached", "notification_id": None}


def test_the_fallback_is_deleted_with_the_text(caller: Caller, template: Template) -> None:
    text = sent_text(caller, template)

    text.delete()

    assert not Fallback.objects.exists()
