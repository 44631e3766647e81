"""Unsubscribe requests are kept after their messages, until clean-up."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from config.jobs import rules
from notifications.delivery.unsubscribe_links import LinkedEmail
from notifications.models import (
    Notification,
    Status,
    UnsubscribeRequest,
)
from notifications.submission.suppressions.unsubscribe_requests import confirm
from tests.cleaning import clean_up
from tests.factories import make_notification, make_service, make_template, make_unsubscribe_request

NOW = datetime(2026, 7, 20, 3, 0, tzinfo=UTC)
RULE = "unsubscribe-requests"


@pytest.fixture(autouse=True)
def at_three_in_the_morning() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


def made(days: float, request_days: int = 365) -> UnsubscribeRequest:
    """Return a request that staff marked as done some days ago."""
    template = make_template(make_service(unsubscribe_request_days=request_days))
    return make_unsubscribe_request(template, done_at=NOW - timedelta(days=days), done_by="mina@example.org")


@pytest.mark.django_db
def test_a_request_stays_when_its_message_is_deleted() -> None:
    message = make_notification(status=Status.DELIVERED, created_at=NOW - timedelta(days=9))
    confirm(LinkedEmail.of(message))

    assert clean_up("old-messages").removed == 1

    assert not Notification.objects.exists()
    assert UnsubscribeRequest.objects.get().notification_id == message.id


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("request_days", "days", "stays"),
    [(30, 29.9, True), (30, 30.1, False), (365, 364.9, True), (365, 365.1, False), (730, 729, True), (730, 731, False)],
)
def test_a_done_request_stays_for_the_days_of_its_service(request_days: int, days: float, stays: bool) -> None:
    made(days, request_days)

    run = clean_up(RULE)

    assert (run.error, run.removed) == ("", 0 if stays else 1)
    assert UnsubscribeRequest.objects.exists() is stays


@pytest.mark.django_db
def test_an_open_request_is_kept_permanently() -> None:
    make_unsubscribe_request(created_at=NOW - timedelta(days=5000))

    clean_up(RULE)

    assert UnsubscribeRequest.objects.count() == 1


@pytest.mark.django_db
def test_the_preview_counts_by_service_and_deletes_nothing() -> None:
    first, _ = made(400), made(300)
    make_unsubscribe_request(first.template, done_at=NOW - timedelta(days=366))
    make_unsubscribe_request(first.template)
    rule = rules.named(RULE)
    assert rule is not None

    (due,) = rule.preview()

    assert (due.label, due.number, due.oldest) == (first.service.name, 2, NOW - timedelta(days=400))
    assert UnsubscribeRequest.objects.count() == 4
