"""A damaged blob is not sent in part, and staff see the error. Source: docs/testing.md, F12."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from structlog.testing import capture_logs

from notifications.attachments import store
from tests.notifications.download.sending import ADDRESS, CONTENT, SentFile, send_file

pytestmark = pytest.mark.django_db


def blob_of(file: SentFile) -> Path:
    (found,) = Path(settings.FILES_DIR).rglob(file.row.storage_name)
    return found


def lose(file: SentFile) -> None:
    blob_of(file).unlink()


def swap(file: SentFile) -> None:
    blob_of(file).write_bytes(blob_of(send_file(file.row.service)).read_bytes())


def flip(at: int) -> Callable[[SentFile], None]:
    def flip_bit(file: SentFile) -> None:
        blob = bytearray(blob_of(file).read_bytes())
        blob[at] ^= 1
        blob_of(file).write_bytes(blob)

    return flip_bit


def cut(to: int | None) -> Callable[[SentFile], None]:
    return lambda file: blob_of(file).write_bytes(blob_of(file).read_bytes()[:to]) and None


DAMAGES = {
    "lost": lose,
    "swapped with another of the same service": swap,
    "cut by one byte": cut(-1),
    "cut to its head": cut(16),
    "cut within its nonce": cut(7),
    "empty": cut(0),
    "one bit of the mark": flip(0),
    "one bit of the nonce": flip(5),
    "one bit of the content": flip(60),
    "one bit of the end": flip(-1),
    "longer by one byte": lambda file: blob_of(file).write_bytes(blob_of(file).read_bytes() + b"\0") and None,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.fault("F12")
def test_a_damaged_file_is_not_sent(client, damage):
    file, other = send_file(), send_file()
    for one in (file, other):
        client.post(one.path("confirm"), {"email_address": ADDRESS})
    damage(file)

    with capture_logs() as events:
        answer = client.get(file.path("download"))

    page = answer.content.decode()
    assert answer.status_code == 500
    assert "<h1>This file is damaged</h1>" in page
    assert "help@parks.example" in page
    assert CONTENT[:8] not in answer.content
    assert "Content-Disposition" not in answer
    (event,) = [event for event in events if event["event"] == "attachment.damaged"]
    assert (event["log_level"], event["attachment_id"]) == ("error", str(file.row.pk))
    assert file.now().download_count == 0
    assert b"".join(client.get(other.path("download")).streaming_content) == CONTENT


def test_a_blob_moved_to_another_service_cannot_be_decrypted(client):
    file = send_file(address=None)
    moved = send_file(address=None)
    blob_of(moved).write_bytes(blob_of(file).read_bytes())

    assert client.get(moved.path("download")).status_code == 500


def test_a_name_that_cannot_be_decrypted_is_damage_too(client):
    file = send_file(address=None)
    file.row.encrypted_name = b"not encrypted by us"
    file.row.save()

    for step in ("file", "download"):
        answer = client.get(file.path(step))
        assert (answer.status_code, "This file is damaged" in answer.content.decode()) == (500, True)


def test_nothing_of_the_link_is_logged(client):
    file = send_file(address=None)
    lose(file)

    with capture_logs() as events:
        client.get(file.path("download"))

    said = repr(events)
    assert file.written_key not in said
    assert "Permit" not in said
    with pytest.raises(store.BlobMissing):
        store.read(file.row.storage_name)
