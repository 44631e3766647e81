"""Unsubscribe requests are kept after their messages: clean-up, and the move from the previous release's table."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config.jobs import rules
from notifications.delivery.unsubscribe_links import LinkedEmail
from notifications.models import (
    Notification,
    Status,
    UnsubscribeRequest,
)
from notifications.submission.unsubscribe_requests import confirm
from tests.cleaning import clean_up
from tests.factories import make_notification, make_service, make_template, make_unsubscribe_request

NOW = datetime(2026, 7, 20, 3, 0, tzinfo=UTC)
RULE = "unsubscribe-requests"
BEFORE, AFTER = "0042_sending_rules", "0043_without_earlier_unsubscribe_requests"


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


def migrated(name: str) -> Any:
    """Migrate to the named migration and return its models."""
    executor = MigrationExecutor(connection)
    executor.migrate([("notifications", name)])
    return executor.loader.project_state([("notifications", name)]).apps


@pytest.fixture
def newest(transactional_db: None) -> Iterator[None]:
    yield
    executor = MigrationExecutor(connection)
    executor.migrate([node for node in executor.loader.graph.leaf_nodes() if node[0] == "notifications"])


@pytest.mark.usefixtures("newest")
def test_the_migration_moves_the_requests_of_the_previous_release() -> None:
    messages = [make_notification() for _ in range(3)]
    at = {message.id: NOW - timedelta(hours=number) for number, message in enumerate(messages)}
    earlier = migrated(BEFORE).get_model("notifications", "EarlierUnsubscribeRequest")
    for identifier, moment in at.items():
        earlier.objects.create(notification_id=identifier, at=moment)

    request = migrated(AFTER).get_model("notifications", "UnsubscribeRequest")

    rows = {row.notification_id: row for row in request.objects.all()}
    assert {identifier: row.created_at for identifier, row in rows.items()} == at
    for message in messages:
        row = rows[message.id]
        assert (row.service_id, row.template_id, row.recipient, row.email_created_at, row.done_at) == (
            message.service_id,
            message.template_id,
            message.recipient,
            message.created_at,
            None,
        )
