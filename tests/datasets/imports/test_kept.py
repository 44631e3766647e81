"""What is kept of an import, how it is encrypted, and when it is deleted."""

import json
import os
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from config import audit
from datasets.imports import files, kept, shown, starting
from datasets.imports.files import ImportFileDamaged
from datasets.models import DataImport, DataSet
from datasets.store import schemas
from tests.cleaning import clean_up
from tests.datasets.imports.calling import work

pytestmark = pytest.mark.django_db
SECRET_VALUE = "Ann-Example"


@pytest.fixture(autouse=True)
def store(settings, tmp_path):
    options = {"location": tmp_path / "store", "allow_overwrite": True}
    backend = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "imports": backend}
    return tmp_path / "store"


@pytest.fixture
def run(data_set, tmp_path) -> DataImport:
    path = tmp_path / "a.csv"
    path.write_text(f"_timestamp,name\n2024-01-01,{SECRET_VALUE}\nnever,{SECRET_VALUE}\n")
    return work(starting.start(data_set, path, {}, by=audit.COMMAND, name="a.csv").pk)


def test_no_file_in_the_store_has_plain_text(run, store):
    kept = [*store.glob("*")]

    assert {path.name.partition(".")[2] for path in kept} == {"file", "rejected"}
    assert all(SECRET_VALUE.encode() not in path.read_bytes() for path in kept)
    assert SECRET_VALUE.encode() not in bytes(run.encrypted_details)
    assert SECRET_VALUE in "".join(shown.rejected_csv(run))


def test_the_working_folder_is_deleted_at_the_end(run, settings):
    assert not [path for path in Path(settings.IMPORT_WORK_DIR).rglob("*") if path.is_file()]


def test_an_import_that_somebody_has_gone_on_with_is_not_deleted(data_set, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("_timestamp,n\n2024-01-01,1\n")
    checked = work(starting.start(data_set, path, {}, by=audit.COMMAND, is_dry_run=True).pk)
    starting.confirm(DataImport.objects.get(), is_dry_run=False)

    assert kept.delete_unchanged(checked) is False

    assert work(checked.pk).state == "finished"
    assert kept.delete_unchanged(DataImport.objects.get()) is True


def test_the_rejected_rows_are_those_of_the_import_and_not_of_its_check(data_set, tmp_path):
    path = tmp_path / "a.ndjson"
    times = ["never", *["2024-01-01T00:00:00Z"] * 4]
    path.write_text("".join(json.dumps({"_timestamp": time, "n": n}) + "\n" for n, time in enumerate(times)))
    run = work(starting.start(data_set, path, {}, by=audit.COMMAND, is_dry_run=True).pk)
    assert run.rejected == 1

    schemas.set_schema(DataSet.objects.get(), {"properties": {"n": {"maximum": 2}}}, "enforce", by=audit.COMMAND)
    starting.confirm(run, is_dry_run=False)
    run = work(run.pk)

    assert run.rejected == len(list(shown.rejected_ndjson(run))) == 3


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:20], lambda data: data[::-1]])
def test_a_changed_file_is_not_read(run, store, damage):
    path = store / f"{run.pk}.file"
    path.write_bytes(damage(path.read_bytes()))

    with pytest.raises(ImportFileDamaged):
        list(files.blocks(run, files.FILE))


def test_a_long_file_cannot_be_cut_at_a_block(data_set, tmp_path, store):
    path = tmp_path / "long.csv"
    path.write_bytes(b"x" * 3_000_000)
    long = starting.start(data_set, path, {}, by=audit.COMMAND)
    assert b"".join(files.blocks(long, files.FILE)) == path.read_bytes()

    kept = store / f"{long.pk}.file"
    kept.write_bytes(kept.read_bytes()[: 12 + 2 * (1024 * 1024 + 16)])

    with pytest.raises(ImportFileDamaged):
        list(files.blocks(long, files.FILE))


def test_an_import_of_a_file_that_is_gone_fails(data_set, tmp_path, store):
    path = tmp_path / "a.csv"
    path.write_text("_timestamp\n2024-01-01\n")
    lost = starting.start(data_set, path, {}, by=audit.COMMAND)
    (store / f"{lost.pk}.file").unlink()

    assert (work(lost.pk).state, "Import it again" in work(lost.pk).error) == ("failed", True)


def test_the_clean_up_deletes_imports_after_7_days(run, store):
    assert clean_up("imports").removed == 0

    DataImport.objects.update(changed_at=timezone.now() - timedelta(days=7, seconds=1))
    assert clean_up("imports").removed == 1
    assert not DataImport.objects.exists()
    assert not [*store.glob("*")]
    assert DataSet.objects.get().record_count == 1


def test_the_oldest_imports_make_room_for_new_ones(data_set, tmp_path, settings, store):
    path = tmp_path / "a.csv"
    path.write_text("_timestamp\n2024-01-01\n")
    settings.IMPORT_MAX_BYTES = path.stat().st_size
    ids = [work(starting.start(data_set, path, {}, by=audit.COMMAND).pk).pk for _ in range(kept.MOST_FILES + 2)]

    assert {run.pk for run in DataImport.objects.all()} == set(ids[1:])
    assert not (store / f"{ids[0]}.file").exists()


def test_what_a_killed_process_left_is_deleted_after_a_day(run, store, settings):
    lost, folder = store / f"{uuid.uuid4()}.file", Path(settings.IMPORT_WORK_DIR) / "received-x"
    lost.write_bytes(b"x")
    folder.mkdir(parents=True)
    for path in (lost, folder):
        os.utime(path, (0, 0))

    clean_up("imports")

    assert not lost.exists()
    assert not folder.exists()
    assert (store / f"{run.pk}.file").exists()


def test_the_clean_up_keeps_an_import_that_works(run):
    DataImport.objects.update(changed_at=timezone.now() - timedelta(days=8), state="running", finished_at=None)

    assert clean_up("imports").removed == 0
