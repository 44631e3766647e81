"""Both stores write, read and delete blobs, and distinguish an unavailable store from a missing blob.

Source: docs/reference/files.md §8.
"""

import contextlib
import os
import resource
import stat
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from notifications.attachments import store
from notifications.management import health_checks
from tests.notifications.attachments.s3_store import S3Store
from tests.servers import wait_until

BLOB = os.urandom(70_000)


def test_a_blob_is_read_back_unchanged(any_store: str) -> None:
    name = store.new_name()

    store.write(name, BLOB)

    assert store.read(name) == BLOB
    assert store.names() == [name]
    written_at = store.written_at(name)
    assert written_at is not None
    assert abs(written_at.timestamp() - time.time()) < 60


def test_a_missing_blob_is_distinguished_from_an_unavailable_store(any_store: str) -> None:
    with pytest.raises(store.BlobMissing):
        store.read("0" * 32)
    assert store.written_at("0" * 32) is None
    store.delete("0" * 32)


def test_a_removed_blob_is_gone(any_store: str) -> None:
    store.write("a" * 32, BLOB)

    store.delete("a" * 32)

    assert store.names() == []
    with pytest.raises(store.BlobMissing):
        store.read("a" * 32)


def test_blobs_of_a_failed_request_are_deleted(any_store: str) -> None:
    names = [store.new_name() for _ in range(3)]

    with store.written(dict.fromkeys(names, BLOB)):
        assert sorted(store.names()) == sorted(names)

    assert store.names() == []


def test_kept_blobs_stay_even_if_the_commit_fails(any_store: str) -> None:
    name = store.new_name()

    with contextlib.suppress(ConnectionError), store.written({name: BLOB}) as blobs:
        blobs.keep()
        raise ConnectionError

    assert store.names() == [name]


def test_the_doctor_writes_and_reads(any_store: str) -> None:
    finding = health_checks.file_store()

    assert (finding.seen.endswith("written and read"), finding.fix) == (True, "")
    assert store.names() == []


# The folder


def test_other_users_cannot_read_the_folder(blobs: Path) -> None:
    name = store.new_name()

    store.write(name, BLOB)

    target = blobs / name[:2] / name
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (blobs, target.parent)} == {0o700}
    assert [path.name for path in target.parent.iterdir()] == [name]


@pytest.mark.fault("A10")
def test_a_full_disk_leaves_no_partial_blob(blobs: Path) -> None:
    """A limit on the size of files simulates a full disk: the kernel refuses the write in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(BLOB) // 2, before[1]))
    try:
        with pytest.raises(store.StoreAway):
            store.write(store.new_name(), BLOB)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert [path for path in blobs.rglob("*") if path.is_file()] == []


def test_a_folder_that_cannot_be_written_is_an_unavailable_store(blobs: Path) -> None:
    blobs.parent.mkdir(exist_ok=True)
    blobs.write_bytes(b"a file where the folder should be")

    with pytest.raises(store.StoreAway):
        store.write(store.new_name(), BLOB)
    assert health_checks.file_store().fix


def test_two_concurrent_writes_into_one_new_folder_succeed(blobs: Path) -> None:
    names = [f"ab{number:030x}" for number in range(16)]
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            store.write(name, BLOB)
        except store.StoreAway as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert sorted(store.names()) == names


# The bucket


def test_a_missing_bucket_is_an_unavailable_store(s3: S3Store, settings: Any) -> None:
    own = {
        "BACKEND": "notifications.attachments.bucket.Bucket",
        "OPTIONS": {**s3.options(), "bucket_name": "another-bucket"},
    }
    settings.STORAGES = {**settings.STORAGES, "attachments": own}

    for call in (lambda: store.write("a" * 32, BLOB), lambda: store.read("a" * 32), store.names):
        with pytest.raises(store.StoreAway):
            call()


@pytest.mark.fault("A13")
def test_a_frozen_bucket_times_out_and_works_again_without_a_restart(s3: S3Store) -> None:
    """Case A13. Two tries of 5 s each. The blob that was written before is deleted after the answer."""
    first, second = store.new_name(), store.new_name()
    store.write(first, BLOB)
    s3.freeze()
    started = time.monotonic()
    try:
        with pytest.raises(store.StoreAway), store.written({second: BLOB}):
            pass
        took = time.monotonic() - started
    finally:
        s3.thaw()

    assert took < 30  # 10 s, and time for a busy machine; boto would retry for five minutes
    assert store.read(first) == BLOB
    wait_until(lambda: store.names() == [first])


def test_a_killed_bucket_is_unavailable_at_once(s3: S3Store) -> None:
    s3.program.kill()
    try:
        started = time.monotonic()
        with pytest.raises(store.StoreAway):
            store.write(store.new_name(), BLOB)
        assert time.monotonic() - started < 30
    finally:
        s3.start()
    store.write("b" * 32, BLOB)
    assert store.read("b" * 32) == BLOB
