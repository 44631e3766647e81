"""Segments are cut and built in their time, and a file holds exactly the records of its segment."""

import os
import tempfile
import threading
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet
import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from datasets.columns import building, files, verifying
from datasets.models import DataSet, Segment
from datasets.tasks import build_columns
from tests.datasets.making import make_data_set, put_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(made, [{"_id": f"r{n:02}", "_timestamp": f"2024-01-{n + 1:02}T00:00:00Z", "n": n} for n in range(20)])
    return made


def paths() -> list[Path]:
    return sorted(Path(files.file_store().path("")).glob("*/*.parquet"))


def write_again(data_set) -> None:
    put_in(data_set, [{"_id": "late", "_timestamp": "2024-01-02T00:00:00Z"}])


def test_the_segments_cover_all_records_once(data_set):
    assert building.build(data_set, seconds=60, wait=False) == 4

    segments = list(Segment.objects.all())
    assert [one.records for one in segments] == [6, 6, 6, 2]
    assert all(one.ends_at == other.starts_at for one, other in pairwise(segments))
    assert DataSet.objects.get(pk=data_set.pk).columns_until == segments[-1].ends_at


def test_a_file_has_the_documented_columns():
    data_set = make_data_set()
    values = {"whole": 1, "double": 1.5, "text": "é", "none": None, "yes": True, "list": [1], "long": 2**63}
    put_in(data_set, [{"_id": "a", "_timestamp": "2024-01-01T00:00:00.5Z", "Text": "in rest", **values}])

    building.build(data_set, seconds=60, wait=False)

    row = pyarrow.parquet.read_table(paths()[0]).to_pylist()[0]
    assert row.pop("_updated_at") is not None
    assert row.pop("_timestamp").isoformat() == "2024-01-01T00:00:00.500000"
    assert row == {
        "_id": "a",
        "whole:whole": 1,
        "double:double": 1.5,
        "text:Text": "in rest",
        "other:none": "null",
        "other:yes": "true",
        "other:list": "[1]",
        "other:long": "9223372036854775808",
        "_rest": [("text", '"é"')],
    }


def test_what_somebody_writes_is_left_alone_for_a_minute(data_set):
    building.build(data_set, seconds=60, wait=False)
    write_again(data_set)

    assert building.build(data_set, seconds=60) == 0
    Segment.objects.update(changed_at=timezone.now() - building.IDLE - timedelta(seconds=1))
    assert building.build(data_set, seconds=60) == 1


def test_what_is_written_all_the_time_is_built_after_ten_minutes(data_set):
    building.build(data_set, seconds=60, wait=False)
    write_again(data_set)
    Segment.objects.update(opened_at=timezone.now() - building.LONGEST_OPEN - timedelta(seconds=1))

    assert building.build(data_set, seconds=60) == 1


def test_a_data_set_that_is_written_all_day_has_no_open_segment():
    data_set = make_data_set()
    for minute in range(20):
        records = [{"_id": f"r{minute}-{n}", "_timestamp": f"2024-01-01T00:{minute:02}:{n:02}Z"} for n in range(5)]
        put_in(data_set, records)
        building.build(data_set, seconds=60)

        assert not Segment.objects.filter(is_built=False).exists()
    assert Segment.objects.count() >= 10
    assert data_set.records.filter(timestamp__gte=Segment.objects.last().ends_at).count() < 7


def test_records_of_the_last_minute_wait_while_somebody_writes():
    data_set = make_data_set()
    now = timezone.now()
    moments = [now - timedelta(minutes=number) for number in (5, 4, 3, 0)]
    put_in(data_set, [{"_id": f"r{n}", "_timestamp": moment.isoformat()} for n, moment in enumerate(moments)])

    assert building.build(data_set, seconds=60) == 1

    (segment,) = Segment.objects.all()
    assert segment.records == 3
    assert moments[2] < segment.ends_at < now


def test_a_file_is_deleted_when_no_segment_names_it(data_set):
    building.build(data_set, seconds=60, wait=False)
    write_again(data_set)
    building.build(data_set, seconds=60, wait=False)
    assert len(paths()) == 5

    assert list(files.delete_unnamed()) == []  # it may be about to be named
    for path in paths():
        os.utime(path, (0, 0))
    assert list(files.delete_unnamed()) == [1]
    assert len(paths()) == 4


def test_the_copies_of_this_machine_have_a_limit(data_set, settings):
    building.build(data_set, seconds=60, wait=False)
    assert len(list(files.cache_folder().glob("*.parquet"))) == 4

    settings.COLUMNS_CACHE_MB = 0
    files.fetch(Segment.objects.first().file)
    files.forget(Segment.objects.first().file)
    files.fetch(Segment.objects.first().file)

    assert not list(files.cache_folder().glob("*.parquet"))


def test_the_copies_used_longest_ago_are_deleted_first(data_set, settings):
    building.build(data_set, seconds=60, wait=False)
    used, *_, new = (segment.file for segment in Segment.objects.all())
    for copy in files.cache_folder().glob("*.parquet"):
        os.utime(copy, (0, 0))

    kept = files.fetch(used)
    settings.COLUMNS_CACHE_MB = 2.5 * kept.stat().st_size / 2**20
    files.forget(new)

    assert {files.fetch(new), kept} == {*files.cache_folder().glob("*.parquet")}


def test_folders_of_other_processes_may_disappear_while_copies_are_limited(data_set):
    building.build(data_set, seconds=60, wait=False)
    name, is_over = Segment.objects.first().file, threading.Event()

    def work() -> None:
        while not is_over.is_set():
            with tempfile.TemporaryDirectory(dir=files.cache_folder(), prefix="query-"):
                pass

    others = [threading.Thread(target=work) for _ in range(3)]
    for other in others:
        other.start()
    try:
        for _ in range(300):
            files.forget(name)
            assert files.fetch(name).exists()
    finally:
        is_over.set()
        for other in others:
            other.join()


def test_columns_verify_names_a_file_that_differs(data_set, capsys):
    building.build(data_set, seconds=60, wait=False)
    call_command("columns", "verify")
    assert "pay/volumes: 4 segments built with 20 records" in capsys.readouterr().out

    paths()[0].write_bytes(b"garbage")
    with pytest.raises(CommandError, match="1 files differ"):
        call_command("columns", "verify")

    call_command("columns", "drop")
    call_command("columns", "build", "--set", "pay/volumes")
    assert list(verifying.differing(data_set)) == []


def test_columns_refuses_an_unknown_data_set():
    with pytest.raises(CommandError, match="There is no data set pay/missing"):
        call_command("columns", "status", "--set", "pay/missing")


def test_the_task_waits_for_the_end_of_an_upgrade(data_set):
    DataSet.objects.update(last_write_at=timezone.now() - timedelta(minutes=2))
    MigrationRecorder.Migration.objects.filter(name="0003_column_files").update(applied=timezone.now())

    build_columns()

    assert not Segment.objects.exists()


def test_the_task_builds_and_obeys_the_switch(data_set, settings):
    applied = MigrationRecorder.Migration.objects.filter(name="0003_column_files")
    applied.update(applied=timezone.now() - timedelta(hours=2))
    DataSet.objects.update(last_write_at=timezone.now() - timedelta(minutes=2))
    settings.COLUMNS = False
    build_columns()
    assert not Segment.objects.exists()

    settings.COLUMNS = True
    build_columns()
    assert Segment.objects.built().count() == 4
