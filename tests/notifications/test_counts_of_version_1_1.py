"""The daily counts of version 1.1 become hourly counts, and the next run moves existing messages to their hours."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from notifications.jobs import counting, sums
from notifications.models import CountedDay, HourlyCount, Template

BEFORE = [("notifications", "0005_limits_of_keys")]


@pytest.fixture
def earlier(transactional_db: None) -> Iterator[Any]:
    """The models of version 1.1."""
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    migrate_all()


def migrate_all() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_deleted_messages_stay_in_the_figures_and_the_others_move_to_their_hours(earlier: Any) -> None:
    names = ("Service", "Template", "Notification", "DailyCount", "CountedDay")
    services, templates, messages, counts, days = (earlier.get_model("notifications", name).objects for name in names)
    limits = {"daily_limit_sms": 1, "daily_limit_email": 1, "daily_limit_international_sms": 1}
    service = services.create(name="Tides", **limits)
    template = templates.create(service=service, name="Gate code", type="sms")
    at = (timezone.now() - timedelta(days=3)).astimezone(UTC).replace(hour=14, minute=5)
    what = {"service": service, "template": template, "channel": "sms", "key_type": "live", "status": "delivered"}
    counts.create(day=at.date(), n=5, deleted=3, units=9, deleted_units=7, **what)
    days.create(service=service, day=at.date(), counted_at=timezone.now(), is_settled=True)
    for _ in range(2):
        messages.create(
            template_version=1, recipient="a", normalised_recipient="a", body="", parts=1, rate_multiplier=1,
            created_at=at, sent_at=at, completed_at=at, provider="smpp", **what,
        )  # fmt: skip

    migrate_all()

    by = ("day", "status")
    assert sums.messages(by, first=at.date()) == {(at.date(), "delivered"): 5}
    assert not CountedDay.objects.get().is_settled
    counting.count_recent()
    assert sums.messages(by, first=at.date()) == {(at.date(), "delivered"): 5}
    assert sums.messages(by, first=at.date(), value="units") == {(at.date(), "delivered"): 9}
    assert {(row.hour, row.provider): (row.n, row.deleted) for row in HourlyCount.objects.all()} == {
        (0, ""): (3, 3),
        (14, "smpp"): (2, 0),
    }


def test_a_service_with_counts_of_version_1_1_can_be_deleted(earlier: Any) -> None:
    services, templates, counts = (
        earlier.get_model("notifications", n).objects for n in ("Service", "Template", "DailyCount")
    )
    limits = {"daily_limit_sms": 1, "daily_limit_email": 1, "daily_limit_international_sms": 1}
    service = services.create(name="Tides", **limits)
    template = templates.create(service=service, name="Gate code", type="sms")
    counts.create(
        service=service,
        template=template,
        channel="sms",
        key_type="live",
        status="sent",
        day=datetime.now(UTC).date(),
        n=1,
    )
    migrate_all()

    Template.objects.get().service.delete()

    assert not HourlyCount.objects.exists()
