"""A removed file is not available from the next request on, whether or not clean-up has run. Cases C3, F9."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.files import File
from django.core.files.storage import Storage
from django.utils import timezone

from notifications.attachments import store
from notifications.models import Attachment
from notifications.models.attachment import end_of_period
from tests.cleaning import clean_up
from tests.notifications.download.sending import ADDRESS, SentFile, send_file

pytestmark = pytest.mark.django_db

STEPS = ("", "confirm", "file", "download")
MADE_AT = datetime(2026, 3, 25, 12, tzinfo=UTC)
EXPIRES_AT = datetime(2026, 4, 1, 23, tzinfo=UTC)  # midnight in London after the clocks went forward


class SweptMeanwhile(Storage):
    """A store in which the file is withdrawn at the moment of the read."""

    def _open(self, name: str, mode: str = "rb") -> File:
        Attachment.objects.filter(storage_name=name).update(withdrawn_at=timezone.now())
        raise FileNotFoundError(name)


def statuses(client, file: SentFile) -> set[int]:
    return {client.get(file.path(step)).status_code for step in STEPS}


@pytest.mark.fault("C3")
def test_a_file_is_available_until_the_midnight_after_its_last_day(client):
    file = send_file(address=None, created_at=MADE_AT, expires_at=end_of_period(MADE_AT, weeks=1))

    with time_machine.travel(EXPIRES_AT - timedelta(seconds=1), tick=False):
        last = client.get(file.path("download"))
        page = client.get(file.path("file")).content.decode()
    with time_machine.travel(EXPIRES_AT, tick=False):
        late = statuses(client, file)
        told = client.get(file.path()).content.decode()

    assert last.status_code == 200
    assert b"".join(last.streaming_content) == file.content
    assert "Wednesday 1 April 2026" in page
    assert late == {410}
    assert "It could be downloaded until <strong>Wednesday 1 April 2026</strong>" in told


@pytest.mark.fault("F9")
def test_an_expired_file_is_not_served_although_nothing_has_removed_it(client):
    file = send_file(address=None, expires_at=timezone.now())

    assert statuses(client, file) == {410}
    assert store.read(file.row.storage_name)


@pytest.mark.fault("F9")
def test_a_withdrawn_file_is_gone_between_two_clicks(client):
    file = send_file()
    client.post(file.path("confirm"), {"email_address": ADDRESS})
    assert client.get(file.path("file")).status_code == 200

    Attachment.objects.filter(pk=file.row.pk).update(withdrawn_at=timezone.now())

    assert statuses(client, file) == {410}
    assert client.post(file.path("confirm"), {"email_address": ADDRESS}).status_code == 410


def test_a_file_that_is_removed_during_its_download_is_not_available(client, settings):
    """The row is read before the store, and the file may be withdrawn in between."""
    file = send_file(address=None)
    settings.STORAGES = {**settings.STORAGES, "attachments": {"BACKEND": f"{__name__}.SweptMeanwhile"}}

    answer = client.get(file.path("download"))

    assert answer.status_code == 410
    assert "has withdrawn this file" in answer.content.decode()


def test_the_tombstone_explains_the_removal_for_a_year(client):
    file = send_file(expires_at=timezone.now())
    clean_up("files")
    removed_at = file.now().deleted_at

    with pytest.raises(store.BlobMissing):
        store.read(file.row.storage_name)
    assert statuses(client, file) == {410}
    Attachment.objects.to_forget(removed_at + timedelta(days=365)).delete()
    assert statuses(client, file) == {410}

    Attachment.objects.to_forget(removed_at + timedelta(days=365, seconds=1)).delete()
    assert statuses(client, file) == {404}


def test_a_withdrawn_file_is_named_as_such_after_clean_up_too(client):
    file = send_file(withdrawn_at=timezone.now())
    clean_up("files")

    answer = client.get(file.path())

    assert (answer.status_code, "has withdrawn this file" in answer.content.decode()) == (410, True)
