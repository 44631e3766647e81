"""Messages are kept for the service's days by UTC date. Then a count and a "not found" remain. §21."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection

from config.jobs import pace, rules, schedule
from notifications.jobs import retention
from notifications.models import Channel, HourlyCount, KeyType, Notification, ReceivedText, Service, Status
from tests.cleaning import clean_up
from tests.factories import make_notification, make_service, make_template
from tests.notifications.calling import make_caller

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 20, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def at_three_in_the_morning() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


def purge() -> int:
    """Run the rule as the clock does, and return how many rows it removed."""
    row = clean_up("old-messages")
    assert row.error == ""
    return row.removed


def make_message(service: Service, days: float, **fields: Any) -> Notification:
    """Return a message that was accepted some days before midnight."""
    midnight = datetime(2026, 7, 20, tzinfo=UTC)
    template = fields.pop("template", None) or make_template(service)
    return make_notification(
        template, created_at=midnight - timedelta(days=days), **{"status": Status.DELIVERED, **fields}
    )


@pytest.mark.parametrize(
    ("retention_days", "days", "stays"), [(7, 7, True), (7, 7.01, False), (3, 3.01, False), (90, 89, True)]
)
def test_a_message_is_kept_for_its_services_days_by_utc_date(retention_days: int, days: float, stays: bool) -> None:
    message = make_message(make_service(retention_days=retention_days), days)

    purge()

    assert Notification.objects.filter(id=message.id).exists() is stays


def test_live_and_team_messages_leave_a_count_and_test_messages_do_not() -> None:
    service = make_service()
    email, text = make_template(service), make_template(service, Channel.SMS)
    for status, n in ((Status.DELIVERED, 3), (Status.PERMANENT_FAILURE, 1)):
        for _ in range(n):
            make_message(service, 10.5, template=email, status=status)
    make_message(service, 10.5, template=text, key_type=KeyType.TEAM)
    make_message(service, 9.5, template=text, key_type=KeyType.TEAM)
    make_message(service, 10.5, template=email, key_type=KeyType.TEST)

    purge()

    counts = HourlyCount.objects.values_list("day", "channel", "template", "key_type", "status", "n")
    tenth, eleventh = date(2026, 7, 10), date(2026, 7, 9)
    assert set(counts) == {
        (eleventh, "email", email.id, "live", "delivered", 3),
        (eleventh, "email", email.id, "live", "permanent-failure", 1),
        (eleventh, "sms", text.id, "team", "delivered", 1),
        (tenth, "sms", text.id, "team", "delivered", 1),
    }
    assert Notification.objects.count() == 0


def test_a_second_run_counts_nothing_twice_and_adds_later_messages() -> None:
    service = make_service()
    template = make_template(service)
    make_message(service, 8.5, template=template)
    purge()
    purge()
    make_message(service, 8.5, template=template)
    purge()

    assert HourlyCount.objects.get().n == 2


def test_received_texts_are_removed_too_and_leave_no_count() -> None:
    service = make_service()
    for days in (6, 9):
        ReceivedText.objects.create(
            service=service, notify_number="1", user_number="2", content="x", created_at=NOW - timedelta(days=days)
        )

    purge()

    assert ReceivedText.objects.get().created_at == NOW - timedelta(days=6)
    assert HourlyCount.objects.count() == 0


def test_other_services_keep_their_messages_and_archived_ones_are_cleaned_too() -> None:
    kept = make_message(make_service(retention_days=30), 20)
    make_message(make_service(active=False), 20)

    purge()

    assert Notification.objects.get() == kept


def test_a_message_still_waiting_to_be_sent_is_not_deleted() -> None:
    waiting = make_message(make_service(retention_days=3), 5, status=Status.CREATED)

    purge()

    assert Notification.objects.get() == waiting


def test_retention_works_in_batches() -> None:
    service = make_service()
    template = make_template(service)
    row = make_message(service, 9, template=template)
    Notification.objects.bulk_create(
        Notification(
            service=service, key_type=row.key_type, channel=row.channel, template=template, template_version=1,
            recipient="a", normalised_recipient="a", body="b", status=Status.DELIVERED, created_at=row.created_at,
        )
        for _ in range(100)
    )  # fmt: skip

    removed = [count for _, count in retention.purge()]

    assert (removed[0], sum(removed)) == (pace.FIRST, 101)
    assert HourlyCount.objects.get().n == 101


def test_a_removed_id_is_not_found_and_a_page_after_it_is_empty() -> None:
    caller = make_caller()
    template = make_template(caller.service)
    old, new = (make_message(caller.service, days, template=template) for days in (8.5, 1))
    assert caller.get(f"/v2/notifications/{old.id}").status_code == 404, (
        "past its days it is gone before the clock comes"
    )

    purge()

    missing = caller.get(f"/v2/notifications/{old.id}")
    page = caller.get(f"/v2/notifications?older_than={old.id}")
    assert (missing.status_code, missing.json()["errors"][0]["error"]) == (404, "NoResultFound")
    assert (page.status_code, page.json()["notifications"], list(page.json()["links"])) == (200, [], ["current"])
    assert [row["id"] for row in caller.get("/v2/notifications").json()["notifications"]] == [str(new.id)]


@pytest.mark.django_db(transaction=True)
def test_two_runs_at_once_delete_each_message_once_and_count_it_once() -> None:
    service = make_service()
    templates = [make_template(service) for _ in range(3)]
    for index in range(60):
        make_message(service, 8 + index % 5, template=templates[index % 3])

    def run(_: int) -> int:
        try:
            return sum(count for _, count in retention.purge())
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        removed = sum(pool.map(run, range(4)))

    assert removed + purge() == 60 == sum(HourlyCount.objects.values_list("n", flat=True))
    assert Notification.objects.count() == 0


def test_the_clock_runs_retention_daily_at_three_utc() -> None:
    purge()

    rule = rules.named("old-messages")
    assert rule
    assert schedule.next_run(rule, NOW) == NOW + timedelta(days=1)
