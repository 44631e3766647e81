"""The read log shows who opened a message, a file or a record."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from config.audit import reads
from config.audit.reads import ReadEvent
from notifications.models import Role
from tests import factories
from tests.cleaning import clean_up
from tests.datasets.making import make_data_set, put_in, some_records
from tests.notifications.admin.test_attachments import make_file
from tests.people import colleague

LIST = "admin:operations_readevent_changelist"


@pytest.fixture
def message(db):
    return factories.make_notification(recipient="ana@example.org")


def open_message(client, message) -> int:
    return client.get(reverse("admin:notifications_notification_change", args=[message.pk])).status_code


def test_opening_a_message_is_recorded_once_in_ten_minutes(console, message):
    for _ in range(3):
        assert open_message(console, message) == 200

    entry = ReadEvent.objects.get()
    assert (entry.user_label, entry.object_kind, entry.object_id) == ("mina", "notification", str(message.pk))
    assert (entry.service_id, entry.ip_address) == (message.service_id, "127.0.0.1")

    ReadEvent.objects.update(at=timezone.now() - reads.ONE_READING)
    open_message(console, message)
    assert ReadEvent.objects.count() == 2


def test_each_reader_has_an_entry(console, message):
    open_message(console, message)
    open_message(colleague(message.service, Role.SEE_ACTIVITY, name="ben"), message)

    assert sorted(ReadEvent.objects.values_list("user_label", flat=True)) == ["ben", "mina"]


def test_a_page_that_does_not_open_is_not_recorded(message):
    assert open_message(colleague(factories.make_service(name="Other"), Role.SEE_RECIPIENTS), message) == 404
    assert not ReadEvent.objects.exists()


def test_opening_the_page_of_a_file_is_recorded(console):
    file = make_file()

    console.get(reverse("admin:notifications_attachment_change", args=[file.pk]))

    entry = ReadEvent.objects.get()
    assert (entry.object_kind, entry.object_id, entry.service_id) == ("attachment", str(file.pk), file.service_id)


def test_opening_a_record_is_recorded_without_its_id(console, db):
    data_set = make_data_set()
    put_in(data_set, some_records(1, _id="ana@example.org"))
    pages = {word: reverse(f"admin:datasets_dataset_{word}", args=[data_set.pk]) for word in ("records", "record")}
    place = re.search(r'name="open" value="([^"]+)"', console.get(pages["records"]).content.decode())
    assert place

    console.post(pages["record"], {"open": place[1]})
    console.post(pages["record"], {"open": "forged"})

    entry = ReadEvent.objects.get()
    assert (entry.object_kind, entry.data_set_id) == ("record", data_set.pk)
    assert entry.object_id == reads.id_of_record(data_set.pk, "ana@example.org")


def test_the_list_links_what_was_opened_and_holds_no_recipient(console, message):
    open_message(console, message)

    page = console.get(reverse(LIST)).content.decode()

    assert f'href="/admin/notifications/notification/{message.pk}/change/"' in page
    assert "ana@example.org" not in page


def test_an_empty_list_says_what_belongs_there(console):
    assert "Nobody has opened a message, a file or a record" in console.get(reverse(LIST)).content.decode()


def test_managers_see_the_entries_of_their_service_only(console, message):
    other = factories.make_notification(recipient="ben@example.org")
    for one in (message, other):
        open_message(console, one)
    manager = colleague(message.service, Role.MANAGE_SERVICE)

    page = manager.get(reverse(LIST)).content.decode()

    assert str(message.pk) in page
    assert str(other.pk) not in page
    assert colleague(message.service, Role.SEE_ACTIVITY).get(reverse(LIST)).status_code == 403


def test_entries_are_deleted_after_90_days(console, message):
    open_message(console, message)
    ReadEvent.objects.update(at=timezone.now() - reads.READS_ARE_KEPT_FOR - timedelta(minutes=1))
    open_message(console, message)

    assert clean_up("read-log").removed == 1
    assert ReadEvent.objects.count() == 1
