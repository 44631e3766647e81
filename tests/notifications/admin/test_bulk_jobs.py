"""Large tables are read and checked by workers, which continue after an interruption."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from config.jobs import registry, runner
from config.jobs.models import LEASE_SECONDS, BulkJobRun
from notifications.admin.bulk_sends import checking, reading
from notifications.admin.bulk_sends.notices import Counts
from notifications.models import BulkRow, BulkSend, BulkTable, Role, RowState, Template
from tests import factories
from tests.notifications.admin.bulk_uploads import text_of, upload, url_of
from tests.people import colleague

ROWS = 1_500
TABLE = "email address,name\n" + "".join(
    f"{'person' if n % 100 else 'person.'}{n % 700}{'@example.com' if n % 50 else ''},Ana {n}\n" for n in range(ROWS)
)


@pytest.fixture
def template(db: None) -> Template:
    return factories.make_template(content="Dear ((name))")


@pytest.fixture
def sender(template: Template) -> Client:
    return colleague(template.service, Role.SEE_RECIPIENTS, Role.SEND_MESSAGES)


def begin(sender: Client, template: Template, data: str | bytes = TABLE) -> BulkSend:
    """Upload a table and start its check."""
    answer = upload(sender, template, data)
    sender.post(answer["Location"], {"column-0": "0", "column-1": "1"})
    return BulkSend.objects.latest("created_at")


def work(kind: str, seconds: float | None = None) -> bool:
    """Work on the newest run of a job as a worker does. Return whether work is left."""
    run = BulkJobRun.objects.filter(kind=kind).latest("started_at")
    return runner.work(run, registry.named(kind), seconds)


def state_of(bulk_send: BulkSend) -> dict[str, Any]:
    counts = Counts.of(BulkSend.objects.get(pk=bulk_send.pk).check_result)
    rows = BulkRow.objects.filter(bulk_send=bulk_send).order_by("number")
    return {
        "rows": counts.rows,
        "errors": counts.with_errors,
        "repeated": counts.repeated,
        "numbers": list(rows.values_list("number", flat=True)) == [*range(2, counts.rows + 2)],
        "left_out": rows.filter(state=RowState.LEFT_OUT).count(),
    }


EXPECTED = {"rows": ROWS, "errors": 30, "left_out": 30, "numbers": True}


def test_a_table_of_many_rows_is_checked_by_a_worker_with_progress(sender: Client, template: Template):
    bulk_send = begin(sender, template)
    before = sender.get(url_of(bulk_send, "check"))

    while work(checking.KIND, seconds=0):
        pass

    page = sender.get(url_of(bulk_send, "check"))
    assert "0 of 1,500 rows done" in text_of(before)
    assert 'data-refresh="2"' in before.content.decode()
    assert "You need to fix 30 email addresses" in text_of(page)
    assert "data-refresh" not in page.content.decode()
    assert state_of(bulk_send).items() >= EXPECTED.items()


def test_a_killed_check_continues_and_stores_each_row_once(sender: Client, template: Template):
    bulk_send = begin(sender, template)
    work(checking.KIND, seconds=0)
    stored = state_of(bulk_send)["rows"]
    run = BulkJobRun.objects.get()
    gone = Now() - timedelta(seconds=LEASE_SECONDS + 1)
    BulkJobRun.objects.update(holder="gone", seen_at=gone)
    at_once = BulkSend.objects.get(pk=begin(sender, template).pk)
    work(checking.KIND)

    again = registry.named(checking.KIND)
    runner.work(run, again)

    assert 0 < stored < ROWS
    assert state_of(bulk_send) == state_of(at_once)


def test_a_new_check_takes_the_place_of_a_running_one(sender: Client, template: Template):
    bulk_send = begin(sender, template)
    work(checking.KIND, seconds=0)
    former = BulkJobRun.objects.get()

    sender.post(url_of(bulk_send, "check"), {"check": "yes"})
    work(checking.KIND, seconds=0)
    runner.work(former, registry.named(checking.KIND))
    work(checking.KIND)

    assert state_of(bulk_send).items() >= EXPECTED.items()


def test_a_large_file_is_read_by_a_worker(sender: Client, template: Template):
    table = TABLE + "person@example.com,\n" * 15_000
    url = upload(sender, template, table)["Location"]
    before = sender.get(url)

    work(reading.KIND)

    assert "Reading your file" in text_of(before)
    assert 'data-refresh="1"' in before.content.decode()
    assert "Check 16,500 rows" in text_of(sender.get(url))


def test_a_large_file_that_cannot_be_read_shows_the_reason(sender: Client, template: Template):
    url = upload(sender, template, b"\x81" * 300_000)["Location"]

    work(reading.KIND)

    page = text_of(sender.get(url))
    assert "This file cannot be read. Save it as CSV (UTF-8) and upload it again." in page
    assert "Upload another file" in page


def test_a_check_that_fails_says_so_and_can_be_repeated(sender: Client, template: Template):
    bulk_send = begin(sender, template)
    BulkTable.objects.get().parts.all().delete()  # a damaged draft: the file has no row any more
    BulkJobRun.objects.update(kind="unknown")
    runner.work(BulkJobRun.objects.get(), None)

    page = sender.get(url_of(bulk_send, "check"))

    assert "This has stopped: This installation lacks the area that runs this job." in text_of(page)
    assert "Check again" in text_of(page)
