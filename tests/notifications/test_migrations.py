"""Migrations that add a rule name the rows that break it, and succeed once these are fixed."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from notifications.models import VersionState
from tests.factories import make_draft, make_reply_to, make_service, make_sms_sender, make_template

BEFORE, SENDERS, RATE = (
    "0001_squashed_0027_request_id_index",
    "0028_senders_unique_in_any_case",
    "0029_service_rate_limit",
)


def migrated(name: str) -> Any:
    """Migrate to the named migration and return its models."""
    executor = MigrationExecutor(connection)
    executor.migrate([("notifications", name)])
    return executor.loader.project_state([("notifications", name)]).apps


@pytest.fixture(autouse=True)
def newest(transactional_db: None) -> Iterator[None]:
    yield
    executor = MigrationExecutor(connection)
    executor.migrate([node for node in executor.loader.graph.leaf_nodes() if node[0] == "notifications"])


def test_senders_that_differ_only_in_case_are_named_and_stay() -> None:
    service = make_service(name="Tides")
    make_sms_sender(service, "PIGEON"), make_reply_to(service, "A@example.org")
    earlier = migrated(BEFORE)
    for model, column in (("SmsSender", "sender"), ("ReplyToAddress", "email_address")):
        rows = earlier.get_model("notifications", model).objects
        text = getattr(rows.get(), column)
        rows.create(service_id=service.pk, **{column: text.lower()})
        rows.create(service_id=service.pk, **{column: text.upper()}, archived_at=timezone.now())

    with pytest.raises(CommandError) as refused:
        migrated(SENDERS)

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
    assert migrated(SENDERS).get_model("notifications", "SmsSender").objects.count() == 3


def test_a_rate_limit_of_zero_is_named_and_stays() -> None:
    service = make_service(name="Tides")
    services = migrated(SENDERS).get_model("notifications", "Service").objects
    services.update(rate_limit_per_minute=0)

    with pytest.raises(CommandError) as refused:
        migrated(RATE)

    assert str(refused.value).splitlines() == [
        "The service “Tides” has a rate limit of 0, with which every call is refused.",
        "Set it to 1 or more in the console, then migrate again.",
    ]
    services.filter(pk=service.pk).update(rate_limit_per_minute=1)
    assert migrated(RATE).get_model("notifications", "Service").objects.get().rate_limit_per_minute == 1


def test_without_drafts_each_template_keeps_its_published_version() -> None:
    """The previous release numbers versions by the published one, and would show drafts as versions."""
    template = make_template(content="Dear ((name))")
    template.publish(make_draft(template, "Dear all"))
    make_draft(template, "Dear a", state=VersionState.TEST)
    make_draft(template, "Dear b")

    earlier = migrated("0048_suppressions")

    versions = earlier.get_model("notifications", "TemplateVersion").objects
    assert sorted(versions.values_list("number", flat=True)) == [1, 2]
    assert earlier.get_model("notifications", "Template").objects.get().current_version == 2


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
