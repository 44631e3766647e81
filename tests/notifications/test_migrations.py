"""Migrations lose no row, and name the rows that break a new rule; they succeed once these are fixed."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from notifications.models import Notification, Service, VersionState
from tests.factories import (
    make_draft,
    make_notification,
    make_reply_to,
    make_service,
    make_sms_sender,
    make_template,
)


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
def test_from_the_newest_to_the_first_release_and_back() -> None:
    """One test, because the way back and forth takes 15 s of CPU time."""
    service = make_service(name="Tides")
    make_sms_sender(service, "PIGEON"), make_reply_to(service, "A@example.org")
    _make_drafts(service)
    requests = [make_notification(make_template(service)) for _ in range(3)]

    _check_that_the_published_version_is_kept(migrated("0048_suppressions"), service)

    earlier = migrated("0001_squashed_0027_request_id_index")
    for number, message in enumerate(requests):
        rows = earlier.get_model("notifications", "EarlierUnsubscribeRequest").objects
        rows.create(notification_id=message.id, at=message.created_at + timedelta(hours=number))
    _check_senders_that_differ_only_in_case(earlier, service)
    _check_a_rate_limit_of_zero(service)
    _check_unsubscribe_requests(migrated("0043_without_earlier_unsubscribe_requests"), requests)


def _make_drafts(service: Service) -> None:
    template = make_template(service, content="Dear ((name))", name="Drafted")
    template.publish(make_draft(template, "Dear all"))
    make_draft(template, "Dear a", state=VersionState.TEST)
    make_draft(template, "Dear b")


def _check_that_the_published_version_is_kept(earlier: Any, service: Service) -> None:
    """Without drafts, the release before numbers versions by the published one, and would show drafts as versions."""
    template = earlier.get_model("notifications", "Template").objects.get(service_id=service.pk, name="Drafted")
    versions = earlier.get_model("notifications", "TemplateVersion").objects.filter(template_id=template.pk)
    assert sorted(versions.values_list("number", flat=True)) == [1, 2]
    assert template.current_version == 2


def _check_senders_that_differ_only_in_case(earlier: Any, service: Service) -> None:
    senders = "0028_senders_unique_in_any_case"
    for model, column in (("SmsSender", "sender"), ("ReplyToAddress", "email_address")):
        rows = earlier.get_model("notifications", model).objects
        text = getattr(rows.get(), column)
        rows.create(service_id=service.pk, **{column: text.lower()})
        rows.create(service_id=service.pk, **{column: text.upper()}, archived_at=timezone.now())

    with pytest.raises(CommandError) as refused:
        migrated(senders)

    lines = str(refused.value).splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == [
        "The service “Tides” has text message senders that differ only in case",
        "The service “Tides” has reply-to addresses that differ only in case",
    ]
    assert lines[2] == "Remove all but one of each in the console, then migrate again."
    assert "@" not in str(refused.value)
    for model in ("SmsSender", "ReplyToAddress"):
        doubles = earlier.get_model("notifications", model).objects.filter(is_default=False, archived_at=None)
        doubles.update(archived_at=timezone.now())
    later = migrated(senders)
    later.get_model("notifications", "Service").objects.update(rate_limit_per_minute=0)
    assert later.get_model("notifications", "SmsSender").objects.count() == 3


def _check_a_rate_limit_of_zero(service: Service) -> None:
    rate = "0029_service_rate_limit"

    with pytest.raises(CommandError) as refused:
        migrated(rate)

    assert str(refused.value).splitlines() == [
        "The service “Tides” has a rate limit of 0, with which every call is refused.",
        "Set it to 1 or more in the console, then migrate again.",
    ]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE notifications_service SET rate_limit_per_minute = 1")
    services = migrated(rate).get_model("notifications", "Service").objects
    assert services.get(pk=service.pk).rate_limit_per_minute == 1


def _check_unsubscribe_requests(later: Any, messages: list[Notification]) -> None:
    """The table of the release before had only the id of the message and the time."""
    requests = later.get_model("notifications", "UnsubscribeRequest").objects
    rows = {row.notification_id: row for row in requests.all()}
    assert len(rows) == len(messages)
    for number, message in enumerate(messages):
        row = rows[message.id]
        assert (row.created_at, row.service_id, row.template_id, row.recipient, row.email_created_at, row.done_at) == (
            message.created_at + timedelta(hours=number),
            message.service_id,
            message.template_id,
            message.recipient,
            message.created_at,
            None,
        )


@pytest.mark.django_db
def test_a_version_of_the_previous_release_is_published() -> None:
    template = make_template()

    with connection.cursor() as cursor:  # its statement does not name the new column
        cursor.execute(
            "INSERT INTO notifications_templateversion"
            " (template_id, number, name, subject, content, unsubscribe_link, note, created_at, created_by)"
            " SELECT template_id, 2, name, subject, content, unsubscribe_link, note, created_at, created_by"
            " FROM notifications_templateversion"
        )

    assert template.versions.get(number=2).state == VersionState.PUBLISHED
