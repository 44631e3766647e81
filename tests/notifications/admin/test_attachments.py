"""Files in the console: shown without content, withdrawn permanently, shortened and extended.

Source: docs/reference/console.md §2.12.
"""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config import formats
from config.audit.models import AuditEvent
from notifications.attachments.encryption import FileKey
from notifications.models import Attachment, DownloadEvent, DownloadKind, Role
from notifications.models.attachment import end_of_day, end_of_period
from tests.factories import make_notification, make_service, make_template
from tests.people import colleague

pytestmark = [pytest.mark.usefixtures("noon"), pytest.mark.django_db]

LIST = "/admin/notifications/attachment/"


def make_file(**fields: Any) -> Attachment:
    key = FileKey.new()
    name = fields.pop("name", "permit 4711.pdf")
    service = fields.pop("service", None) or make_service()
    values: dict[str, Any] = {
        "id": key.file_id,
        "service": service,
        "template": make_template(service),
        "notification_id": uuid4(),
        "storage_name": uuid4().hex,
        "extension": name.rpartition(".")[2],
        "size_bytes": 1_234_567,
        "key_check": key.check(),
        "email_tag": key.email_tag("ana@example.org"),
        "expires_at": end_of_period(timezone.now(), weeks=26),
    }
    row = Attachment(**values | fields)
    row.set_name(name)
    row.save(force_insert=True)
    return row


def step(file: Attachment, word: str) -> str:
    return reverse(f"admin:notifications_attachment_{word}", args=[file.pk])


def page_of(console: Client, address: str) -> str:
    return " ".join(console.get(address).content.decode().split())


def test_the_list_shows_everything_except_the_recipient(console: Client) -> None:
    file = make_file(download_count=3)
    for _ in range(2):
        DownloadEvent.objects.create(attachment=file, kind=DownloadKind.WRONG_EMAIL_ADDRESS)
    DownloadEvent.objects.create(attachment=file, kind=DownloadKind.DOWNLOADED)

    page = page_of(console, LIST)

    for words in ("permit 4711.pdf", ">pdf<", "1.2", str(file.notification_id)[:8], "Available", ">3<", ">2<", "Yes"):
        assert words in page, words
    assert formats.day(file.last_day) in page
    assert "ana@example.org" not in page


def test_an_empty_list_says_what_belongs_there(console: Client) -> None:
    assert "No files. A file sent in the personalisation of an email appears here." in page_of(console, LIST)


def test_the_page_of_a_file_links_to_its_message_while_that_exists(console: Client) -> None:
    message = make_notification()
    file = make_file(service=message.service, notification_id=message.pk)
    place = reverse("admin:notifications_attachment_change", args=[file.pk])
    link = f'href="/admin/notifications/notification/{message.pk}/change/"'

    kept = page_of(console, place)
    message.delete()
    gone = page_of(console, place)

    assert link in kept
    assert link not in gone
    assert "The message is already deleted." in gone


def test_the_page_of_a_file_explains_why_it_cannot_be_opened(console: Client) -> None:
    file = make_file()

    page = page_of(console, reverse("admin:notifications_attachment_change", args=[file.pk]))

    assert "We cannot open this file. Only the link in the recipient's email can." in page
    assert 'name="_save"' not in page
    for word in ("withdraw", "shorten", "extend"):
        assert step(file, word) in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("state=available", {"available", "unasked"}),
        ("state=withdrawn", {"withdrawn"}),
        ("state=expired", {"expired"}),
        ("state=removed", {"removed"}),
        ("state=nonsense", {"available", "unasked", "withdrawn", "expired", "removed"}),
        ("asks=no", {"unasked"}),
        ("asks=yes", {"available", "withdrawn", "expired"}),
        ("ends=week", {"unasked"}),
        ("extension=csv", {"removed"}),
    ],
)
def test_filters(console: Client, query: str, found: set[str]) -> None:
    now, past = timezone.now(), timezone.now() - timedelta(days=2)
    make_file(name="available.pdf")
    make_file(name="unasked.pdf", email_tag=None, expires_at=now + timedelta(days=3))
    make_file(name="withdrawn.pdf", withdrawn_at=now)
    make_file(name="expired.pdf", expires_at=past)
    make_file(name="removed.csv", expires_at=past, deleted_at=now)

    page = page_of(console, f"{LIST}?{query}")

    names = ("available", "unasked", "withdrawn", "expired", "removed")
    assert {name for name in names if f"{name}.csv" in page or f"{name}.pdf" in page} == found


def test_withdrawing_needs_a_reason_and_applies_at_once(console: Client, operator: User) -> None:
    file = make_file()

    page = page_of(console, step(file, "withdraw"))
    without = console.post(step(file, "withdraw"), {"reason": ""})
    untouched = Attachment.objects.get().withdrawn_at
    done = console.post(step(file, "withdraw"), {"reason": "sent to the wrong person"}, follow=True)

    assert "This cannot be undone." in page
    assert (without.status_code, untouched) == (200, None)
    row = Attachment.objects.get()
    assert (row.withdrawn_by, row.withdrawn_why) == ("mina@example.org", "sent to the wrong person")
    assert "Withdrawn" in done.content.decode()
    event = AuditEvent.objects.get(verb="withdrew")
    assert (event.reason, event.service_id) == ("sent to the wrong person", file.service_id)
    assert "permit" not in f"{event.before}{event.after}"


@pytest.mark.parametrize("word", ["withdraw", "shorten", "extend"])
@pytest.mark.parametrize("state", ["withdrawn", "expired", "removed"])
def test_a_removed_file_cannot_be_restored(console: Client, word: str, state: str) -> None:
    now = timezone.now()
    fields: dict[str, Any] = {
        "withdrawn": {"withdrawn_at": now, "withdrawn_by": "otto@example.org"},
        "expired": {"expires_at": now - timedelta(minutes=1)},
        "removed": {"expires_at": now - timedelta(days=3), "deleted_at": now},
    }[state]
    file = make_file(**fields)
    before = Attachment.objects.values().get()

    shown = page_of(console, step(file, word))
    posted = console.post(step(file, word), {"reason": "x", "last_day": "2099-01-01"})

    assert "It cannot be brought back." in shown
    assert "It cannot be brought back." in posted.content.decode()
    assert Attachment.objects.values().get() == before
    assert not AuditEvent.objects.exists()


def test_extending_ends_78_weeks_after_sending(console: Client) -> None:
    file = make_file()
    farthest = timezone.localdate(file.created_at) + timedelta(weeks=78)

    too_far = console.post(step(file, "extend"), {"last_day": (farthest + timedelta(days=1)).isoformat()})
    same = console.post(step(file, "extend"), {"last_day": file.last_day.isoformat()})
    rubbish = console.post(step(file, "extend"), {"last_day": "soon"})
    assert Attachment.objects.get().expires_at == file.expires_at
    done = console.post(step(file, "extend"), {"last_day": farthest.isoformat()})

    assert [answer.status_code for answer in (too_far, same, rubbish, done)] == [200, 200, 200, 302]
    assert "Choose a day from" in too_far.content.decode()
    assert Attachment.objects.get().expires_at == end_of_day(farthest)
    event = AuditEvent.objects.get(verb="extended")
    assert (event.before, event.after) == (
        {"last_day": file.last_day.isoformat()},
        {"last_day": farthest.isoformat()},
    )
    assert "already kept for 78 weeks, which is the longest" in page_of(console, step(file, "extend"))


def test_shortening_ends_today_at_the_earliest(console: Client) -> None:
    file = make_file()
    today = timezone.localdate()

    past = console.post(step(file, "shorten"), {"last_day": (today - timedelta(days=1)).isoformat()})
    assert past.status_code == 200
    assert Attachment.objects.get().expires_at == file.expires_at
    console.post(step(file, "shorten"), {"last_day": today.isoformat()})

    assert Attachment.objects.get().last_day == today
    assert AuditEvent.objects.filter(verb="shortened").count() == 1
    assert "Today is already its last day." in page_of(console, step(file, "shorten"))


@pytest.mark.parametrize("word", ["withdraw", "shorten", "extend"])
def test_a_read_only_role_has_no_actions(db: None, word: str) -> None:
    file = make_file()
    client = colleague(file.service, Role.SEE_ACTIVITY)

    assert client.get(reverse("admin:notifications_attachment_change", args=[file.pk])).status_code == 200
    assert step(file, word) not in page_of(client, reverse("admin:notifications_attachment_change", args=[file.pk]))
    assert client.post(step(file, word), {"reason": "x"}).status_code == 403
    assert Attachment.objects.get().withdrawn_at is None


def test_a_name_encrypted_with_a_lost_key_does_not_break_the_page(console: Client, settings: Any) -> None:
    file = make_file()
    settings.FIELD_KEYS = ["YW5vdGhlci1maWVsZC1rZXktZm9yLXRoaXMtdGVzdCE="]

    assert f"{file.masked_title} (its name was encrypted with a key that FIELD_KEYS does not contain)" in page_of(
        console, LIST
    )
