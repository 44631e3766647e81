"""Files are removed by the clock and by command, once, even after killed runs. Cases F9, F13, A11, C3.

Source: docs/reference/files.md §8, §10.
"""

import os
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import structlog
import time_machine
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from config.jobs import rules
from notifications.attachments import expiry, store
from notifications.attachments.encryption import FileKey
from notifications.models import Attachment, AttachmentState, DownloadEvent, DownloadKind, Service
from notifications.models.attachment import end_of_day, end_of_period
from tests.cleaning import clean_up
from tests.factories import make_service
from tests.notifications.attachments.s3_store import S3Store
from tests.notifications.attachments.sending import file_caller, file_of, send

pytestmark = pytest.mark.django_db


def make_file(service: Service, *, days: float = 30, blob: bytes | None = b"blob", **fields: Any) -> Attachment:
    """Return a stored file that expires after some days. blob: None leaves it out of the store."""
    key = FileKey.new()
    values: dict[str, Any] = {
        "id": key.file_id,
        "service": service,
        "notification_id": uuid4(),
        "storage_name": store.new_name(),
        "extension": "csv",
        "size_bytes": 4,
        "key_check": key.check(),
        "email_tag": key.email_tag("ana@example.org"),
        "expires_at": timezone.now() + timedelta(days=days),
    }
    row = Attachment(**values | fields)
    row.set_name("a.csv")
    row.save(force_insert=True)
    if blob is not None:
        store.write(row.storage_name, blob)
    return row


def told_of_files() -> tuple[int, str]:
    """Run the rule and return the number of removed files and the error about the others."""
    row = clean_up("files")
    return row.removed, row.error


def age(blobs: Path, name: str, hours: float) -> None:
    """Set the age of a blob in the folder."""
    moment = (timezone.now() - timedelta(hours=hours)).timestamp()
    os.utime(blobs / name[:2] / name, (moment, moment))


@pytest.fixture
def service() -> Service:
    return make_service()


# The last day


@pytest.mark.parametrize(
    ("created_at", "weeks", "first_without"),
    [
        # Clocks go forward in this time: the last night is an hour shorter in UTC.
        (datetime(2026, 3, 25, 12, tzinfo=UTC), 1, datetime(2026, 4, 1, 23, tzinfo=UTC)),
        (datetime(2026, 10, 24, 12, tzinfo=UTC), 1, datetime(2026, 11, 1, 0, tzinfo=UTC)),
        # Late in the evening in UTC, it is the next day in London in summer.
        (datetime(2026, 7, 1, 23, 30, tzinfo=UTC), 1, datetime(2026, 7, 9, 23, tzinfo=UTC)),
        (datetime(2026, 1, 1, 0, tzinfo=UTC), 78, datetime(2027, 7, 1, 23, tzinfo=UTC)),
    ],
)
def test_a_file_is_available_through_its_last_day(created_at: datetime, weeks: int, first_without: datetime) -> None:
    assert end_of_period(created_at, weeks=weeks) == first_without


@pytest.mark.fault("C3")
def test_a_file_expires_at_midnight_in_london(settings: Any) -> None:
    settings.TIME_ZONE = "Europe/London"
    row = Attachment(expires_at=end_of_period(datetime(2026, 3, 25, 12, tzinfo=UTC), weeks=1))

    assert row.last_day == date(2026, 4, 1)
    assert row.state(datetime(2026, 4, 1, 22, 59, 59, tzinfo=UTC)) is AttachmentState.AVAILABLE
    assert row.state(datetime(2026, 4, 1, 23, 0, 0, tzinfo=UTC)) is AttachmentState.EXPIRED
    assert end_of_day(row.last_day) == row.expires_at


def test_the_state_of_a_row_and_the_filter_by_state_agree(service: Service) -> None:
    now = timezone.now()
    rows = [
        make_file(service, days=days, withdrawn_at=withdrawn_at, deleted_at=deleted_at)
        for days in (1, -1)
        for withdrawn_at in (None, now)
        for deleted_at in (None, now)
    ]

    for state in AttachmentState:
        found = set(Attachment.objects.in_state(state, now))
        assert found == {row for row in rows if row.state(now) is state}
        assert found
    gone = {row for row in rows if row.deleted_at is None and (row.withdrawn_at or row.expires_at <= now)}
    assert set(Attachment.objects.to_remove(now)) == gone


# The clock's sweep


def test_the_clock_knows_both_sweeps() -> None:
    files, remains = rules.named("files"), rules.named("file-remains")

    assert files
    assert remains
    assert (files.every, remains.every) == (timedelta(minutes=15), None)


def test_due_files_are_removed_and_leave_a_tombstone(service: Service, any_store: str) -> None:
    moment = timezone.now()
    kept = make_file(service)
    due = make_file(service, days=-1, wrong_tries=3, day_tries=4, window_started_at=moment, locked_until=moment)
    withdrawn = make_file(service, withdrawn_at=moment, withdrawn_by="mina", withdrawn_why="wrong person")

    assert clean_up("files").removed == 2

    assert store.names() == [kept.storage_name]
    for row in (due, withdrawn):
        row.refresh_from_db()
        assert row.deleted_at is not None
        assert (row.name, row.email_tag, row.wrong_tries, row.day_tries) == (None, None, 0, 0)
        assert (row.window_started_at, row.locked_until) == (None, None)
        assert len(row.key_check) == 16
    kept.refresh_from_db()
    assert (kept.deleted_at, kept.name) == (None, "a.csv")
    assert withdrawn.withdrawn_why == "wrong person"


def test_a_sent_file_is_removed_after_its_time() -> None:
    caller = file_caller()
    send(caller, file_of(retention_period="1 week"), file_of(retention_period="2 weeks"))

    with time_machine.travel(timezone.now() + timedelta(days=9)):
        assert told_of_files() == (1, "")
        assert len(store.names()) == 1
    with time_machine.travel(timezone.now() + timedelta(days=16)):
        assert told_of_files() == (1, "")
        assert store.names() == []


def test_a_row_whose_blob_is_gone_is_removed_like_any_other(service: Service, any_store: str) -> None:
    make_file(service, days=-1, blob=None)

    assert told_of_files() == (1, "")
    assert Attachment.objects.get().deleted_at is not None


@pytest.mark.fault("F13")
def test_a_killed_run_over_five_thousand_files_is_repeated(service: Service) -> None:
    """Case F13: files that a killed run has removed without recording it are found again, and none is counted twice."""
    rows = [
        Attachment(
            service=service,
            notification_id=uuid4(),
            storage_name=f"{number:032x}",
            extension="csv",
            size_bytes=1,
            key_check=b"x" * 16,
            expires_at=timezone.now() - timedelta(days=1),
        )
        for number in range(5000)
    ]
    Attachment.objects.bulk_create(rows)
    for row in rows[::50]:
        store.write(row.storage_name, b"blob")
    for row in rows[:700:50]:  # the killed run has removed the blobs, but not yet changed its last batch of rows
        store.delete(row.storage_name)
    Attachment.objects.filter(storage_name__in=[row.storage_name for row in rows[:500]]).mark_removed(timezone.now())

    assert told_of_files() == (4500, "")
    assert told_of_files() == (0, "")
    assert store.names() == []
    assert not Attachment.objects.filter(deleted_at=None).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.fault("F13")
def test_two_sweeps_at_once_remove_each_file_once() -> None:
    service = make_service()
    for _ in range(60):
        make_file(service, days=-1)
    removed: list[int] = []

    def sweep() -> None:
        try:
            removed.append(sum(batch.number for batch in expiry.remove_due()))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(removed) == 60
    assert store.names() == []


@pytest.mark.fault("F13")
def test_one_error_of_the_store_leaves_that_file_for_the_next_run(service: Service, blobs: Path) -> None:
    stuck, *others = [make_file(service, days=-number) for number in range(1, 6)]
    place = blobs / stuck.storage_name[:2] / stuck.storage_name
    place.unlink()
    place.mkdir()  # a folder cannot be removed like a file
    (place / "x").touch()

    with structlog.testing.capture_logs() as logs:
        first = told_of_files()
    (place / "x").unlink()
    place.rmdir()
    second = told_of_files()

    assert (first, second) == ((4, "files: 1 could not be deleted: the file store failed"), (1, ""))
    assert {"event": "attachments.removed", "removed": 4, "errors": 1, "log_level": "info"} in logs
    assert len(others) == 4


def test_an_unavailable_store_ends_the_run_and_changes_no_row(service: Service, s3: S3Store) -> None:
    for _ in range(6):
        make_file(service, days=-1)
    s3.program.kill()
    try:
        told = told_of_files()
    finally:
        s3.start()

    assert told == (0, "files: the file store is unavailable")
    assert Attachment.objects.filter(deleted_at=None).count() == 6
    assert told_of_files() == (6, "")


def test_a_tombstone_is_kept_for_a_year(service: Service) -> None:
    now = timezone.now()
    young = make_file(service, days=-400, blob=None, deleted_at=now - timedelta(days=364))
    old = make_file(service, days=-400, blob=None, deleted_at=now - timedelta(days=366))
    DownloadEvent.objects.create(attachment=old, kind=DownloadKind.DOWNLOADED)

    clean_up("file-remains")

    assert list(Attachment.objects.all()) == [young]


# Orphans


def test_a_blob_without_a_row_is_removed_after_a_day(service: Service, blobs: Path) -> None:
    kept = make_file(service)
    store.write("a" * 32, b"young")
    store.write("b" * 32, b"old")
    (blobs / "cc").mkdir(exist_ok=True)  # the random name of `kept` may begin with it, too
    (blobs / "cc" / f"{'c' * 32}.new").write_bytes(b"half of one")
    for name in ("b" * 32, f"{'c' * 32}.new", kept.storage_name):
        age(blobs, name, hours=25)

    clean_up("file-remains")

    assert sorted(store.names()) == sorted([kept.storage_name, "a" * 32])


def test_the_command_removes_orphans_at_once(service: Service, any_store: str, capsys: Any) -> None:
    kept, due = make_file(service), make_file(service, days=-1)
    store.write(store.new_name(), b"left behind by a killed process")

    call_command("sweep", "files")
    assert capsys.readouterr().out == "files: 1\n"
    call_command("sweep", "files", "--older-than", "0")

    assert capsys.readouterr().out == "files: 1\n"
    assert store.names() == [kept.storage_name]
    due.refresh_from_db()
    assert due.deleted_at is not None
