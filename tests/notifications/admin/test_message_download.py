"""The message log as a CSV file. Source: docs/reference/console.md §2.9."""

import csv
import html
import io
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.audit.models import AuditEvent
from config.jobs import registry, runner
from config.jobs.models import BulkJobRun
from notifications.admin.messages import download
from notifications.attachments import expiry, store
from notifications.management.clean_up import RULES
from notifications.models import Notification, ReportPart, ReportRequest, Role, Service, Status, Template
from tests.factories import make_api_key, make_notification, make_service, make_template
from tests.people import browser_of, join, make_person

pytestmark = pytest.mark.django_db

LOG = reverse("admin:notifications_notification_changelist")
DOWNLOAD = reverse("admin:notifications_notification_download")
REPORT = reverse("admin:notifications_notification_report")


@pytest.fixture
def service() -> Service:
    return make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    return make_template(service, name="Tide table")


@pytest.fixture
def reader(service: Service) -> Client:
    user = make_person("kim")
    join(user, service, Role.SEE_ACTIVITY)
    return browser_of(user)


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a file with more than two messages by a job, in parts of two."""
    smaller = replace(download.DOWNLOAD, most_at_once=2)
    monkeypatch.setattr(download, "DOWNLOAD", smaller)
    monkeypatch.setattr(download, "PART_ROWS", 2)


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def rows_of(answer: Any) -> list[dict[str, str]]:
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def ask(browser: Client, query: str = "") -> BulkJobRun:
    """Ask for a file that a job writes, and return its run."""
    page = browser.get(f"{DOWNLOAD}{query}")
    browser.post(f"{DOWNLOAD}{query}", {"job_id": page.context["job_id"]})
    return BulkJobRun.objects.get(kind=download.KIND)


def work(run: BulkJobRun) -> None:
    while runner.work(run, registry.named(download.KIND), 0):
        pass
    run.refresh_from_db()


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


@pytest.mark.usefixtures("few_at_once")
def test_many_messages_are_written_by_a_job_for_the_person_only(reader: Client, template: Template) -> None:
    now = timezone.now()
    made = [make_notification(template, created_at=now - timedelta(minutes=n)) for n in range(5)]
    make_notification(template, status=Status.DELIVERED)
    query = "?status=created"
    assert "You can download it for 3 days" in text_of(reader.get(f"{DOWNLOAD}{query}"))

    run = ask(reader, query)
    assert reader.get(REPORT, {"id": run.pk}).status_code == 404
    work(run)

    assert (run.error, run.changed, run.total) == ("", 5, 5)
    page = text_of(reader.get(reverse("admin:operations_bulkjobrun_change", args=[run.pk])))
    assert f"{REPORT}?id={run.pk}" in page
    answer = reader.get(REPORT, {"id": run.pk})
    found = rows_of(answer)
    assert [row["Message id"] for row in found] == [str(message.pk) for message in made]
    assert {row["Recipient"] for row in found} == {"a…@example.com"}
    assert ReportPart.objects.count() == 4
    assert all(b"example.com" not in store.read(part.storage_name) for part in ReportPart.objects.all())


@pytest.mark.usefixtures("few_at_once")
def test_nobody_else_can_download_the_file(reader: Client, console: Client, template: Template) -> None:
    for _ in range(3):
        make_notification(template)
    run = ask(reader)
    work(run)

    assert reader.get(REPORT, {"id": run.pk}).status_code == 200
    assert console.get(REPORT, {"id": run.pk}).status_code == 404
    assert console.get(REPORT, {"id": "x"}).status_code == 404


@pytest.mark.usefixtures("few_at_once")
def test_the_file_has_what_the_person_may_see_when_the_job_runs(reader: Client, template: Template) -> None:
    for _ in range(3):
        make_notification(template)
    run = ask(reader)
    template.service.team.all().delete()

    work(run)

    assert run.changed == 0


@pytest.mark.usefixtures("few_at_once")
def test_an_expired_file_cannot_be_downloaded_and_is_deleted(reader: Client, template: Template) -> None:
    for _ in range(3):
        make_notification(template)
    run = ask(reader)
    work(run)
    names = list(ReportPart.objects.values_list("storage_name", flat=True))
    list(expiry.remove_orphans(timedelta()))
    assert set(names) <= set(store.names())

    ReportRequest.objects.update(expires_at=timezone.now())

    assert reader.get(REPORT, {"id": run.pk}).status_code == 404
    rule = next(rule for rule in RULES if rule.name == "reports")
    assert [due.number for due in rule.preview()] == [1]
    list(rule.remove())
    assert not set(names) & set(store.names())
    assert not ReportRequest.objects.exists()


def test_a_search_is_part_of_the_filter(console: Client, template: Template) -> None:
    mine = make_notification(template, reference="case-7")
    make_notification(template)
    search = reverse("admin:notifications_notification_search")
    query = console.post(search, {"term": "ref:case-7"})["Location"].partition("?")[2]

    (row,) = rows_of(console.post(f"{DOWNLOAD}?{query}"))

    assert row["Message id"] == str(mine.pk)
    assert Notification.objects.count() == 2
