"""The message log as a CSV file. Source: docs/reference/console.md §2.9."""

import csv
import html
import io
from datetime import timedelta
from itertools import islice
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.audit.models import AuditEvent
from config.jobs import registry
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from notifications.admin.messages import download
from notifications.attachments import expiry, store
from notifications.management.clean_up import RULES
from notifications.models import LogExport, LogExportPart, Notification, Role, Service, Status, Template
from tests.factories import make_api_key, make_notification, make_service, make_template, repeat_notification
from tests.people import browser_of, join, make_person

pytestmark = pytest.mark.django_db

LOG = reverse("admin:notifications_notification_changelist")
DOWNLOAD = reverse("admin:notifications_notification_download")
EXPORT = reverse("admin:notifications_notification_export")


@pytest.fixture
def service() -> Service:
    return make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    return make_template(service, name="Tide table")


@pytest.fixture
def kim(service: Service) -> User:
    user = make_person("kim")
    join(user, service, Role.SEE_ACTIVITY)
    return user


@pytest.fixture
def reader(kim: User) -> Client:
    return browser_of(kim)


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def rows_of(answer: Any) -> list[dict[str, str]]:
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def ask(user: User, service: Service, query: str = "") -> BulkJobRun:
    """Return a run for a file, as the form starts it for more than 10,000 messages."""
    run = BulkJobRun.objects.create(kind=download.KIND, by=user, total=5, way_back=LOG)
    LogExport.objects.create(pk=run.pk, user=user, service=service, query=query)
    return run


def work(run: BulkJobRun, most_parts: int | None = None) -> None:
    """Write the file as a worker does, in parts of two messages. most_parts: after these the worker is killed"""
    job = registry.named(download.KIND)
    assert job is not None
    for batch in islice(job.batches(run, Pace(first=2)), most_parts):
        run.add(batch, {})
    if most_parts is None:
        run.finished_at = timezone.now()
        job.ended(run, "")
    run.save()


def test_few_messages_are_downloaded_at_once(console: Client, template: Template) -> None:
    key = make_api_key(template.service, name="beach-app")
    message = make_notification(template, api_key=key, reference="=1+1", status=Status.DELIVERED, provider="smtp-1")
    make_notification(template, status=Status.PERMANENT_FAILURE)
    make_notification(template, created_at=timezone.now() - timedelta(days=9))  # past its retention
    query = "?status=delivered"
    assert f"{DOWNLOAD}{query}" in text_of(console.get(f"{LOG}{query}"))
    assert "The CSV file has 1 message within the filters of the list." in text_of(console.get(f"{DOWNLOAD}{query}"))

    (row,) = rows_of(console.post(f"{DOWNLOAD}{query}"))

    assert row["Message id"] == str(message.pk)
    assert row["Reference"] == "'=1+1"
    assert (row["Recipient"], row["Template"], row["Sent by"]) == ("ana@example.com", "Tide table", "beach-app")
    assert "Dear Ana" not in row.values()
    assert AuditEvent.objects.get(verb="downloaded_messages").after == {"name": "Tides", "messages": 1}


def test_recipients_are_masked_without_the_role(reader: Client, template: Template) -> None:
    make_notification(template)
    make_notification(make_template())  # of another service

    (row,) = rows_of(reader.post(DOWNLOAD))

    assert row["Recipient"] == "a…@example.com"


def test_many_messages_are_left_to_a_job(reader: Client, template: Template) -> None:
    repeat_notification(make_notification(template), download.MOST_AT_ONCE)
    page = reader.get(f"{DOWNLOAD}?key_type=all")
    assert "The CSV file has 10,001 messages" in text_of(page)
    assert "You can download it for 3 days" in text_of(page)

    answer = reader.post(f"{DOWNLOAD}?key_type=all", {"job_id": page.context["job_id"]})

    run = BulkJobRun.objects.get(kind=download.KIND)
    assert answer["Location"] == reverse("admin:operations_bulkjobrun_change", args=[run.pk])
    export = LogExport.objects.get(pk=run.pk)
    assert (export.user_id, export.service, export.query) == (run.by_id, template.service, "key_type=all")


def test_the_job_writes_the_file_in_parts_and_goes_on_after_an_interruption(
    reader: Client, kim: User, template: Template
) -> None:
    now = timezone.now()
    made = [make_notification(template, created_at=now - timedelta(minutes=n)) for n in range(5)]
    make_notification(template, status=Status.DELIVERED)
    make_notification(make_template())  # of another service
    run = ask(kim, template.service, "status=created")

    work(run, most_parts=2)
    assert reader.get(EXPORT, {"id": str(run.pk)}).status_code == 404
    work(run)

    page = text_of(reader.get(reverse("admin:operations_bulkjobrun_change", args=[run.pk])))
    assert f"{EXPORT}?id={run.pk}" in page
    found = rows_of(reader.get(EXPORT, {"id": str(run.pk)}))
    assert [row["Message id"] for row in found] == [str(message.pk) for message in made]
    assert {row["Recipient"] for row in found} == {"a…@example.com"}
    assert (run.changed, LogExportPart.objects.count()) == (5, 4)
    assert all(b"example.com" not in store.read(part.storage_name) for part in LogExportPart.objects.all())


def test_only_the_person_who_asked_can_download_the_file(
    reader: Client, console: Client, kim: User, template: Template
) -> None:
    run = ask(kim, template.service)
    work(run)

    assert reader.get(EXPORT, {"id": str(run.pk)}).status_code == 200
    assert console.get(EXPORT, {"id": str(run.pk)}).status_code == 404
    assert console.get(EXPORT, {"id": "x"}).status_code == 404


def test_the_file_has_what_the_person_may_see_when_the_job_runs(kim: User, template: Template) -> None:
    make_notification(template)
    run = ask(kim, template.service)
    template.service.team.all().delete()

    work(run)

    assert run.changed == 0


def test_an_expired_file_cannot_be_downloaded_and_is_deleted(reader: Client, kim: User, template: Template) -> None:
    make_notification(template)
    run = ask(kim, template.service)
    work(run)
    names = list(LogExportPart.objects.values_list("storage_name", flat=True))
    list(expiry.remove_orphans(timedelta()))
    assert set(names) <= set(store.names())

    LogExport.objects.update(expires_at=timezone.now())

    assert reader.get(EXPORT, {"id": str(run.pk)}).status_code == 404
    rule = next(rule for rule in RULES if rule.name == "log-exports")
    assert [due.number for due in rule.preview()] == [1]
    list(rule.remove())
    assert not set(names) & set(store.names())
    assert not LogExport.objects.exists()


def test_a_search_is_part_of_the_filter(console: Client, template: Template) -> None:
    mine = make_notification(template, reference="case-7")
    make_notification(template)
    search = reverse("admin:notifications_notification_search")
    query = console.post(search, {"term": "ref:case-7"})["Location"].partition("?")[2]

    (row,) = rows_of(console.post(f"{DOWNLOAD}?{query}"))

    assert row["Message id"] == str(mine.pk)
    assert Notification.objects.count() == 2
