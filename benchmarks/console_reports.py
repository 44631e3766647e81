"""Measure the page Reports and the counting of messages: `python -m benchmarks.console_reports [messages]`.

It creates and fills a temporary database like `benchmarks.console_messages`, on the server of DATABASE_URL or as a
file, and compares the counts and the records of `signalbox/messages` with the messages. Then it copies the counts of a
week to the 51 weeks before, deletes all messages with the clean-up, and checks that no table of the page changes.
"""

import sys
import time
from datetime import timedelta
from functools import partial

from benchmarks.console_messages import fill, open_page, show, signed_in, throw_away_database, timed  # sets Django up

from django.conf import settings  # isort: skip
from django.db import connection
from django.db.models import Count, F, Sum
from django.urls import reverse
from django.utils import timezone

from datasets import store
from datasets.models import DataSet
from datasets.queries import engines, parameters
from datasets.queries.readers import ALL, Reader
from notifications.admin.statistics import tables
from notifications.jobs import counting, retention
from notifications.models import HourlyCount, KeyType, Notification, Service

WEEKS = 51
ONE_TIME_IN = 40  # different seconds to delivery


def main(count: int) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    with throw_away_database():
        fill(count)
        give_times()
        HourlyCount.objects.all().delete()  # a count does not see times that change without a status
        count_all("counting all messages again")
        count_all("counting without a change")
        check_against_messages()
        check_records()
        copy_to_earlier_weeks()
        show("counts", HourlyCount.objects.count(), database=connection.vendor)
        browser = signed_in()
        pages = {"reports": "admin:notifications_service_statistics", "overview": "admin:index"}
        for name, page in pages.items():
            timed(name, partial(open_page, browser, reverse(page)))
        services = list(Service.objects.all())
        before = [table.rows for table in tables.of_services(services)]
        clean_up()
        for earlier, table in zip(before, tables.of_services(services), strict=True):
            assert table.rows == earlier, f"clean-up changed {table.slug}: {set(table.rows) ^ set(earlier)}"
        for name, page in pages.items():
            timed(f"{name} after clean-up", partial(open_page, browser, reverse(page)))


def give_times() -> None:
    """Give each delivered message a time to delivery of 1 to 40 seconds."""
    for service in Service.objects.all():
        counting_day = counting.start_of(timezone.now().date()) - timedelta(days=8)
        while counting_day < timezone.now():
            messages = Notification.objects.filter(
                service=service, created_at__range=(counting_day, counting_day + timedelta(hours=1))
            )
            seconds = counting_day.timestamp() // 3600 % ONE_TIME_IN + 1
            messages.update(due_at=F("created_at"), completed_at=F("created_at") + timedelta(seconds=seconds))
            counting_day += timedelta(hours=1)


def count_all(name: str) -> None:
    began = time.perf_counter()
    for service in Service.objects.all():
        for days in range(9):
            counting.count_day(service.pk, (timezone.now() - timedelta(days=days)).date())
    counting.presence.note(counting.RUNS, "benchmark")
    show(name, round(time.perf_counter() - began, 2), unit="s")


def check_against_messages() -> None:
    """Compare the counts with one SELECT over all messages."""
    names = ("service_id", "channel", "template_id", "key_type", "status", "provider")
    messages = Notification.objects.exclude(key_type=KeyType.TEST).order_by().values_list(*names)
    counts = HourlyCount.objects.order_by().values_list(*names)
    assert set(counts.annotate(number=Sum("n"))) == set(messages.annotate(number=Count("pk")))


def check_records() -> None:
    """Store the records of signalbox/messages, and compare their sums with one SELECT over all messages.

    Readers of all services and of one service are compared.
    """
    began = time.perf_counter()
    number = 0
    while stored := store.statistics.fill():
        number += stored
    show("storing the records", round(time.perf_counter() - began, 2), unit="s", records=number)
    names = ("service_id", "channel", "template_id", "key_type", "status", "provider")
    messages = Notification.objects.exclude(key_type=KeyType.TEST).order_by().values_list(*names)
    expected = {tuple(map(str, row)) for row in messages.annotate(number=Count("pk"))}
    data_set = DataSet.objects.at("signalbox", "messages").get()
    text = "&".join(f"group_by={name}" for name in names) + "&collect=count:sum"
    bounds = parameters.Bounds(default_limit=1, max_limit=1)
    service = str(Service.objects.order_by("pk")[0].pk)
    for name, reader in {"all services": ALL, "one service": Reader((service,))}.items():
        began = time.perf_counter()
        query = parameters.parse(text, data_set_id=data_set.pk, bounds=bounds, reader=reader)
        rows = engines.grouped(data_set, query, now=timezone.now(), max_rows=1_000_000)
        show(f"sums of {name}", round(time.perf_counter() - began, 2), unit="s", rows=len(rows))
        found = {tuple(str(row[key]) for key in (*names, "count:sum")) for row in rows if row["count:sum"]}
        assert found == {row for row in expected if reader is ALL or row[0] == service}, found ^ expected


def copy_to_earlier_weeks() -> None:
    week = list(HourlyCount.objects.all())
    for _ in range(WEEKS):
        for row in week:
            row.pk = None
            row.day -= timedelta(weeks=1)
        HourlyCount.objects.bulk_create(week, ignore_conflicts=True, batch_size=1000)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def clean_up() -> None:
    began = time.perf_counter()
    removed = 0
    for service in Service.objects.all():
        service.kept_since = lambda: timezone.now() + timedelta(days=1)  # type: ignore[method-assign]  # all are old
        for messages in retention.due_messages(service):
            pace = retention.Pace(60, fewest={connection.vendor: 5_000})
            while number := retention._remove_messages(messages, pace):
                removed += number
    show("clean-up", round(time.perf_counter() - began, 2), unit="s", removed=removed)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
