"""Retries of single messages. Source: docs/reference/console.md §2.10."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from config.erased import ERASED
from notifications import errors
from notifications.models import (
    BulkRow,
    Channel,
    DailyCounter,
    KeyType,
    LimitKind,
    MessageOrigin,
    Notification,
    RetriedMessage,
    Status,
)
from notifications.submission.sending import copies, retry
from notifications.submission.sending.retry import CannotRetry
from tests.factories import (
    make_bulk_send,
    make_notification,
    make_reply_to,
    make_service,
    make_suppression,
    make_template,
)
from tests.notifications.download.sending import send_file

pytestmark = pytest.mark.django_db

BY = "mina@example.org"


def make_failed(**fields: Any) -> Notification:
    now = timezone.now()
    return make_notification(**{"status": Status.TEMPORARY_FAILURE, "completed_at": now, "attempt": 3, **fields})


def reason(message: Notification) -> str:
    with pytest.raises(CannotRetry) as refused:
        retry.retry(message, BY)
    return str(refused.value)


def test_a_failed_message_is_sent_again_as_a_new_message_with_the_same_text() -> None:
    service = make_service()
    template = make_template(service, unsubscribe_link=True)
    failed = make_failed(
        template=template,
        reference="ref-1",
        body="Dear Ana, bring salt",
        unsubscribe_link=True,
        one_click_unsubscribe_url="https://example.org/u",
        reply_to=make_reply_to(service),
    )

    new = retry.retry(failed, BY)

    new.refresh_from_db()
    failed.refresh_from_db()
    assert failed.status == Status.TEMPORARY_FAILURE
    assert (new.status, new.attempt) == (Status.CREATED, 0)
    for name in ("recipient", "body", "subject", "reference", "one_click_unsubscribe_url", "reply_to", "key_type"):
        assert getattr(new, name) == getattr(failed, name), name
    assert (new.origin, new.created_by) == (MessageOrigin.CONSOLE, BY)
    assert RetriedMessage.objects.get(message=failed).retry == new


@pytest.mark.usefixtures("noon")
def test_a_retry_counts_towards_the_daily_limit_and_a_test_does_not() -> None:
    service = make_service(daily_limit_email=1)
    retry.retry(make_failed(template=make_template(service)), BY)

    with pytest.raises(errors.DailyLimitReached):
        retry.retry(make_failed(template=make_template(service)), BY)
    retry.retry(make_failed(template=make_template(service), key_type=KeyType.TEST), BY)

    assert DailyCounter.objects.get(service=service, kind=LimitKind.EMAIL).count == 1
    assert RetriedMessage.objects.count() == 2


def test_a_message_is_retried_once() -> None:
    failed = make_failed()
    retry.retry(failed, BY)

    assert reason(failed) == "This message has been retried already."
    assert Notification.objects.count() == 2


def test_a_message_of_a_bulk_send_is_retried_once_here_or_there() -> None:
    template = make_template()
    bulk_send = make_bulk_send(template)
    row, other = (BulkRow.objects.create(bulk_send=bulk_send, number=number, cells=[]) for number in (2, 3))
    retry.retry(make_failed(template=template, bulk_row=row), BY)
    row.refresh_from_db()
    assert row.is_retried

    other.is_retried = True
    other.save()
    assert "A later bulk send" in reason(make_failed(template=template, bulk_row=other))


@pytest.mark.parametrize("status", [Status.PERMANENT_FAILURE, Status.DELIVERED, Status.CANCELLED, Status.SENDING])
def test_other_messages_are_not_retried(status: Status) -> None:
    assert "Only a message with a temporary or technical failure" in reason(make_failed(status=status))


def test_a_message_with_a_file_is_not_retried() -> None:
    failed = make_failed()
    send_file(failed.service, notification_id=failed.pk, created_at=failed.created_at)

    assert "This message has a file" in reason(failed)


def test_a_suppressed_recipient_is_refused_whatever_the_service_chose() -> None:
    service = make_service(suppressed_sends_are_rejected=False)
    make_suppression(service, "ana@example.com")

    with pytest.raises(errors.RecipientSuppressed):
        retry.retry(make_failed(template=make_template(service)), BY)


def test_the_new_message_is_checked_like_any_other() -> None:
    service = make_service(permissions=["sms"])
    with pytest.raises(errors.EmailsNotAllowed):
        retry.retry(make_failed(template=make_template(service)), BY)
    archived = make_template(archived_at=timezone.now())
    with pytest.raises(errors.TemplateArchived):
        retry.retry(make_failed(template=archived), BY)
    trial = make_template(make_service(live=False))
    with pytest.raises(errors.ServiceInTrial):
        retry.retry(make_failed(template=trial), BY)


def test_a_text_message_keeps_its_parts_and_price() -> None:
    failed = make_failed(template=make_template(channel=Channel.SMS), parts=2)

    new = retry.retry(failed, BY)

    assert (new.parts, new.rate_multiplier, new.normalised_recipient) == (2, 1, failed.normalised_recipient)


def test_a_waiting_message_is_due_at_once() -> None:
    later = timezone.now() + timedelta(hours=1)
    waiting = make_notification(attempt=1, failed_attempts=1, next_attempt_at=later)

    assert retry.is_waiting(waiting)
    retry.send_now(waiting)

    waiting.refresh_from_db()
    assert waiting.next_attempt_at <= timezone.now() + timedelta(seconds=5)
    assert not retry.is_waiting(waiting)


def test_a_claimed_message_is_left_to_its_worker() -> None:
    later = timezone.now() + timedelta(hours=1)
    claimed = make_notification(attempt=1, next_attempt_at=later, claimed_until=later)

    with pytest.raises(CannotRetry):
        retry.send_now(claimed)


def test_an_erased_message_is_neither_retried_nor_copied() -> None:
    erased = make_failed(recipient=ERASED, normalised_recipient="", body=ERASED)

    assert "has been erased" in reason(erased)
    with pytest.raises(copies.CannotCopy):
        copies.send(erased, BY, BY)
