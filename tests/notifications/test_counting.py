"""The counters of recent days are exact beside deletions and concurrent counts, without work in sends. §2.1."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.db.models import Sum

from notifications.jobs import counting
from notifications.models import (
    Channel,
    CountedDay,
    DailyCounter,
    HourlyCount,
    KeyType,
    LimitKind,
    Notification,
    Service,
    Status,
    Template,
)
from tests.cleaning import clean_up
from tests.factories import make_notification, make_service, make_template
from tests.notifications.calling import make_caller, sms_template

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 20, 12, 0, tzinfo=UTC)
TODAY = NOW.date()


@pytest.fixture(autouse=True)
def at_noon() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


def accept(template: Template, days: float = 0, **fields: Any) -> Notification:
    """Store a message like a caller: its row and the daily counter."""
    at = NOW - timedelta(days=days)
    counter = {"service": template.service, "day": at.date(), "kind": LimitKind(template.type)}
    DailyCounter.objects.update_or_create(**counter, defaults={"count": 1})
    return make_notification(template, created_at=at, **{"status": Status.DELIVERED, **fields})


def counts() -> dict[tuple[date, str], int]:
    return {(row.day, row.status): row.n for row in HourlyCount.objects.filter(n__gt=0)}


@pytest.fixture
def template() -> Template:
    return make_template(make_service(retention_days=3))


def test_messages_are_counted_by_day_and_status_and_tests_are_not(template: Template) -> None:
    for status in (Status.DELIVERED, Status.DELIVERED, Status.SENDING):
        accept(template, status=status)
    accept(template, days=1, status=Status.PERMANENT_FAILURE, key_type=KeyType.TEAM)
    accept(template, key_type=KeyType.TEST)

    counting.count_recent()

    assert counts() == {
        (TODAY, "delivered"): 2,
        (TODAY, "sending"): 1,
        (TODAY - timedelta(days=1), "permanent-failure"): 1,
    }


def test_a_callers_messages_are_counted() -> None:
    caller = make_caller()
    template = sms_template(caller)
    assert [caller.send_sms(template).status_code for _ in range(3)] == [201] * 3

    counting.count_recent()

    assert HourlyCount.objects.get().n == 3


def test_a_changed_status_changes_the_counts(template: Template) -> None:
    message = accept(template, status=Status.SENDING)
    counting.count_recent()
    counting.count_recent()
    Notification.objects.filter(pk=message.pk).update(status=Status.DELIVERED)

    counting.count_recent()

    assert counts() == {(TODAY, "delivered"): 1}


def test_a_past_day_with_only_ended_messages_is_not_counted_again(template: Template) -> None:
    accept(template, days=1)
    assert counting.count_recent() == 1

    assert counting.count_recent() == 0
    assert CountedDay.objects.get().is_settled


def test_a_past_day_whose_texts_have_ended_as_sent_is_settled(template: Template) -> None:
    accept(template, days=1, status=Status.SENT)

    counting.count_recent()

    assert CountedDay.objects.get().is_settled  # a late receipt opens it again


def test_a_past_day_with_open_messages_is_counted_again_after_15_minutes(template: Template) -> None:
    message = accept(template, days=1, status=Status.SENDING)
    counting.count_recent()
    Notification.objects.filter(pk=message.pk).update(status=Status.DELIVERED)

    with time_machine.travel(NOW + timedelta(minutes=14), tick=False):
        assert counting.count_recent() == 0
    with time_machine.travel(NOW + timedelta(minutes=16), tick=False):
        assert counting.count_recent() == 1

    assert counts() == {(TODAY - timedelta(days=1), "delivered"): 1}


def test_counts_stay_exact_when_messages_are_deleted(template: Template) -> None:
    for days, number in ((3.6, 3), (0, 2)):
        for _ in range(number):
            accept(template, days=days)
    counting.count_recent()
    before = counts()

    assert clean_up("old-messages").removed == 3
    after_deletion = counts()
    counting.count_recent()

    assert before == after_deletion == counts() == {(date(2026, 7, 16), "delivered"): 3, (TODAY, "delivered"): 2}
    assert CountedDay.objects.filter(counted_at=None).count() == 0


def test_counts_are_exact_if_messages_are_deleted_before_they_are_counted(template: Template) -> None:
    for _ in range(3):
        accept(template, days=3.6)

    clean_up("old-messages")
    counting.count_recent()

    assert counts() == {(date(2026, 7, 16), "delivered"): 3}


def test_a_deleted_message_is_counted_with_its_final_status(template: Template) -> None:
    message = accept(template, days=3.6, status=Status.SENDING)
    counting.count_recent()
    Notification.objects.filter(pk=message.pk).update(status=Status.TEMPORARY_FAILURE)

    clean_up("old-messages")
    counting.count_recent()

    assert counts() == {(date(2026, 7, 16), "temporary-failure"): 1}


def test_a_count_that_a_deletion_overtook_is_dropped(template: Template) -> None:
    """A count that was read before the deletion and stored after it would count the deleted messages twice."""
    accept(template, days=3.6)
    counting.count_recent()
    CountedDay.objects.touch(template.service_id, date(2026, 7, 16))
    row = CountedDay.objects.get()
    overtaken = CountedDay.objects.filter(pk=row.pk, version=row.version - 1)

    assert overtaken.update(is_settled=True) == 0
    assert counting.count_recent() == 1


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_counts_during_a_clean_up_are_exact() -> None:
    service: Service = make_service(retention_days=3)
    templates = [make_template(service), make_template(service, Channel.SMS)]
    for index in range(80):
        accept(templates[index % 2], days=3.6 if index < 60 else 0)

    def run(index: int) -> None:
        with time_machine.travel(NOW, tick=False):
            try:
                clean_up("old-messages") if index == 0 else counting.count_recent()
            finally:
                connection.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(run, range(3)))
    counting.count_recent()

    assert HourlyCount.objects.aggregate(Sum("n"), Sum("deleted")) == {"n__sum": 80, "deleted__sum": 60}
