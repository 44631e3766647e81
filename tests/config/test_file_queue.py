"""The file queue delivers complete messages, each to one reader, in order, however full the folder is."""

import os
import resource
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError
from kombu.simple import SimpleQueue
from structlog.testing import capture_logs

from tests.config.damaged_messages import DAMAGED


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def connect(folder) -> Connection:
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "polling_interval": 0.01}
    return Connection("filesystem://", transport="config.queue.file_queue:Transport", transport_options=options)


def take_all(queue: SimpleQueue) -> list[object]:
    taken = []
    while True:
        try:
            message = queue.get(timeout=0.3)
        except Empty:
            return taken
        message.ack()
        taken.append(message.payload)


def test_messages_come_in_order(folder):
    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")
        for number in range(50):
            queue.put(number)

        assert take_all(queue) == list(range(50))


def test_two_readers_share_the_messages_without_duplicates(folder):
    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")
        for number in range(300):
            queue.put(number)

    def read() -> list[object]:
        with connect(folder) as connection:
            return take_all(connection.SimpleQueue("letters"))

    with ThreadPoolExecutor(2) as readers:
        first, second = (readers.submit(read) for _ in range(2))
        taken = first.result() + second.result()

    assert sorted(taken) == list(range(300))
    assert not list((folder / "letters").iterdir())


def test_a_message_that_is_still_being_written_is_not_read(folder):
    (folder / "letters").mkdir()
    (folder / "letters" / ".half-a-message").write_text('{"body": "ha')

    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")

        assert take_all(queue) == []


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_an_unreadable_message_is_moved_aside_and_the_next_one_is_read(folder, content):
    (folder / "letters").mkdir()
    (folder / "letters" / f"{0:020d}_x.msg").write_bytes(content)

    with connect(folder) as connection, capture_logs() as logs:
        queue = connection.SimpleQueue("letters")
        queue.put({"a": "letter"})

        assert take_all(queue) == [{"a": "letter"}]
        assert connection.SimpleQueue("unreadable").qsize() == 1

    assert [(line["event"], line["queue"]) for line in logs] == [("queue.message_unreadable", "letters")]
    [kept] = (folder / "unreadable").iterdir()
    assert kept.read_bytes() == content


def endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)  # uses no disk space


def link_to(target: str):
    return lambda path: path.symlink_to(target)


ODD_FILES = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a file of 1 TiB": endless,
    "a link to a device without an end": link_to("/dev/zero"),
    "a link that leads nowhere": link_to("nowhere"),
    "a link to itself": link_to(f"{0:020d}_x.msg"),
}


@pytest.mark.parametrize("make", ODD_FILES.values(), ids=ODD_FILES)
def test_anything_but_a_file_is_moved_aside_too(folder, make):
    (folder / "letters").mkdir()
    make(folder / "letters" / f"{0:020d}_x.msg")

    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")
        queue.put({"a": "letter"})

        assert take_all(queue) == [{"a": "letter"}]

    assert len(list((folder / "unreadable").iterdir())) == 1


@pytest.mark.parametrize("target", ["nowhere", "letters"], ids=["nowhere", "itself"])
def test_a_link_without_a_folder_in_the_place_of_a_queue_is_moved_aside(folder, target):
    (folder / "letters").symlink_to(target)

    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")

        assert take_all(queue) == []
        queue.put({"a": "letter"})
        assert take_all(queue) == [{"a": "letter"}]


def test_a_file_in_the_place_of_a_queue_is_moved_aside(folder):
    (folder / "letters").write_text("no folder")

    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")

        assert take_all(queue) == []
        queue.put({"a": "letter"})
        assert take_all(queue) == [{"a": "letter"}]

    [kept] = (folder / "unreadable").iterdir()
    assert kept.read_text() == "no folder"


def test_a_message_that_cannot_be_written_leaves_no_file(folder):
    (folder / "letters").mkdir()
    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            with pytest.raises(ChannelError, match="cannot add to the queue"):
                queue.put({"a": "letter" * 100})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, before)

    assert list((folder / "letters").iterdir()) == []


def test_a_reader_continues_after_any_error(tmp_path):
    folder, received = tmp_path / "queue", []
    folder.mkdir()
    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")
        queue.consumer.register_callback(lambda body, message: received.append(body))
        queue.consumer.consume()
        connection.transport.after_error_seconds = 0
        folder.rename(tmp_path / "elsewhere")

        with capture_logs() as logs:
            connection.drain_events(timeout=1)

        assert [line["event"] for line in logs] == ["queue.not_read"]
        (tmp_path / "elsewhere").rename(folder)
        queue.put({"a": "letter"})
        connection.drain_events(timeout=1)

    assert received == [{"a": "letter"}]


def test_files_that_cannot_be_moved_aside_are_skipped(folder):
    (folder / "letters").mkdir()
    (folder / "letters" / f"{0:020d}_x.msg").write_bytes(b"")
    (folder / "unreadable").write_text("no folder")

    with connect(folder) as connection, capture_logs() as logs:
        queue = connection.SimpleQueue("letters")
        queue.put({"a": "letter"})

        assert take_all(queue) == [{"a": "letter"}]

    assert len(logs) == 1


def test_queues_in_one_folder_do_not_mix(folder):
    with connect(folder) as connection:
        letters, parcels = connection.SimpleQueue("letters"), connection.SimpleQueue("parcels")
        letters.put("a letter")
        parcels.put("a parcel")

        assert (letters.qsize(), parcels.qsize()) == (1, 1)
        assert take_all(parcels) == ["a parcel"]
        assert take_all(letters) == ["a letter"]


def test_a_full_folder_is_listed_once_and_not_for_every_message(folder, monkeypatch):
    listings = []
    with connect(folder) as connection:
        queue = connection.SimpleQueue("letters")
        for number in range(200):
            queue.put(number)
        list_folder = os.listdir
        monkeypatch.setattr("os.listdir", lambda path: listings.append(path) or list_folder(path))
        for _ in range(200):
            queue.get(timeout=1).ack()

    assert len(listings) < 5


def test_emptying_a_queue_leaves_the_others(folder):
    with connect(folder) as connection:
        letters, parcels = connection.SimpleQueue("letters"), connection.SimpleQueue("parcels")
        letters.put("a letter")
        parcels.put("a parcel")

        assert letters.clear() == 1
        assert (letters.qsize(), parcels.qsize()) == (0, 1)
