"""A change opens the segments of its records in its own transaction, and no others."""

import io
from datetime import UTC, datetime

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from config import audit
from datasets import records, store
from datasets.columns import building
from datasets.models import DataSet, KeptValue, Segment
from datasets.queries import engines, parameters
from datasets.queries.readers import ALL
from datasets.store import one_record, retention
from datasets.store.one_record import RecordEdit
from tests.datasets.making import make_data_set, put_in

pytestmark = pytest.mark.django_db


def record(number: int, day: int, **fields):
    return {"_id": f"r{number:03}", "_timestamp": f"2024-01-{day:02}T12:00:00Z", "n": number, **fields}


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(made, [record(number, 1 + number // 2) for number in range(60)])
    building.build(made, seconds=60, wait=False)
    found = DataSet.objects.get(pk=made.pk)
    assert open_ranges(found) == []
    assert Segment.objects.count() >= 8
    return found


def open_ranges(data_set) -> list[tuple[int, int]]:
    """Return the first and last day of each open segment."""
    found = Segment.objects.filter(store_id=data_set.store_id, is_built=False)
    return [(one.starts_at.day, one.ends_at.day) for one in found]


def contains(ranges, day: int) -> bool:
    return any(first <= day <= last for first, last in ranges)


@pytest.mark.parametrize("number", [1, 150], ids=["one record", "many records"])
def test_a_new_record_opens_its_segment_only(data_set, number):
    put_in(data_set, [record(1000 + index, 5) for index in range(number)])

    assert len(open_ranges(data_set)) == 1
    assert contains(open_ranges(data_set), 5)


@pytest.mark.parametrize("others", [0, 150], ids=["one record", "many records"])
def test_a_replaced_record_opens_the_segments_of_both_moments(data_set, others):
    new = [{**record(2000 + index, 20), "_id": f"x{index}"} for index in range(others)]

    put_in(data_set, [{**record(2, 20), "_id": "r002"}, *new])  # it was of day 2

    assert len(open_ranges(data_set)) == 2
    assert contains(open_ranges(data_set), 2)
    assert contains(open_ranges(data_set), 20)


def test_a_record_after_all_segments_opens_none(data_set):
    put_in(data_set, [{"_id": "new", "_timestamp": "2025-01-01T00:00:00Z"}])

    assert open_ranges(data_set) == []


@pytest.mark.parametrize("number", [1, 99, 100, 250])
def test_any_number_of_open_records_is_read_beside_files(data_set, number):
    later = [{"_id": f"x{one}", "_timestamp": "2025-01-01T00:00:00Z", "n": 1000} for one in range(number)]
    put_in(data_set, later)
    bounds = parameters.Bounds(default_limit=10, max_limit=100)
    query = parameters.parse("collect=n:sum", data_set_id=data_set.pk, bounds=bounds, reader=ALL)

    data_set.refresh_from_db()
    found = engines.grouped(data_set, query, now=datetime(2026, 1, 1, tzinfo=UTC), max_rows=9)

    assert found == [{"_count": 60 + number, "n:sum": sum(range(60)) + 1000 * number}]


def test_a_record_after_all_segments_is_replaced_without_opening_one(data_set):
    for number in (1, 2):
        put_in(data_set, [{"_id": "new", "_timestamp": "2025-01-01T00:00:00Z", "n": number}])

    assert open_ranges(data_set) == []
    assert data_set.records.get(record_id="new").body == '{"n":2}'
    data_set.refresh_from_db()
    assert data_set.record_count == 61


@pytest.mark.parametrize("path", ["missing", "present"])
def test_what_the_caller_believes_of_segments_decides_nothing(data_set, path):
    """A token is read before the write, so segments may come or go in between."""
    checked = records.check([record(1000, 5)], auto_ids=())
    if path == "missing":
        building.drop(data_set)

    assert store.append(data_set.pk, checked, has_segments=path == "missing") == 1

    assert data_set.records.filter(record_id="r1000").exists()
    assert len(open_ranges(data_set)) == (1 if path == "present" else 0)


def test_a_write_that_is_rolled_back_opens_none(data_set):
    with transaction.atomic():
        put_in(data_set, [record(1000, 5)])
        transaction.set_rollback(True)

    assert open_ranges(data_set) == []


def test_retention_opens_the_segments_of_deleted_records(data_set):
    assert sum(store.remove_beyond(data_set.pk, 50)) == 10

    assert contains(open_ranges(data_set), 1)
    assert not contains(open_ranges(data_set), 20)


def test_an_emptied_data_set_has_no_segments(data_set):
    store.empty(data_set, by=audit.COMMAND)

    data_set.refresh_from_db()
    assert data_set.columns_until is None
    assert not Segment.objects.filter(store_id=data_set.store_id).exists()


def test_a_data_set_without_segments_pays_no_statement(settings):
    settings.COLUMNS_FROM_RECORDS = 1_000
    small = make_data_set(type="small")
    put_in(small, [record(1, 1)])
    building.build(small, seconds=60, wait=False)

    with CaptureQueriesContext(connection) as captured:
        put_in(small, [record(2, 2)])

    assert not [query for query in captured if "segment" in query["sql"]]
    assert DataSet.objects.get(pk=small.pk).columns_until is None


def test_a_changed_record_opens_the_segments_of_both_moments(data_set):
    [new] = records.check([record(2, 20)], auto_ids=())

    one_record.change(data_set, "r002", new, RecordEdit(by=audit.COMMAND))

    assert len(open_ranges(data_set)) == 2
    assert contains(open_ranges(data_set), 2)
    assert contains(open_ranges(data_set), 20)


def test_a_deleted_record_opens_its_segment_and_so_does_its_restoration(data_set):
    one_record.delete(data_set, "r002", RecordEdit(by=audit.COMMAND))
    assert len(open_ranges(data_set)) == 1
    building.build(data_set, seconds=60, wait=False)
    assert open_ranges(data_set) == []

    one_record.restore(data_set, KeptValue.objects.get(), RecordEdit(by=audit.COMMAND))

    assert contains(open_ranges(data_set), 2)


def test_the_erasure_of_a_person_opens_the_segments_of_the_records(data_set):
    DataSet.objects.update(personal=True)
    put_in(data_set, [record(9, 5, mail="ann@example.org")])
    building.build(data_set, seconds=60, wait=False)
    assert open_ranges(data_set) == []

    call_command("erase_recipient", "ann@example.org", "--yes", stdout=io.StringIO())

    assert contains(open_ranges(data_set), 5)
    assert not data_set.records.filter(record_id="r009").exists()


@pytest.mark.parametrize("days", [0, 3, 9, 15, 20, 29, 31, 40])
@time_machine.travel("2024-02-01T12:00:00Z", tick=False)
def test_a_preview_of_retention_adds_the_records_of_built_and_open_segments(data_set, days):
    put_in(data_set, [record(1000 + index, 5) for index in range(3)])
    put_in(data_set, [record(2000 + index, 16) for index in range(3)])
    data_set.refresh_from_db()
    assert len(open_ranges(data_set)) == 2

    found = store.preview(data_set, days=days, newest=None)

    older = data_set.records.filter(timestamp__lt=retention.kept_from(days)).count()
    assert (found.by_age, found.total) == (older, 66)
    assert store.would_remove(DataSet.objects.all(), days=days, newest=None) == older


@time_machine.travel("2024-02-01T12:00:00Z", tick=False)
def test_a_preview_of_retention_does_not_read_the_records_of_built_segments(data_set):
    data_set.records.order_by("timestamp").first().delete()  # its segment still says that it has the record

    assert store.preview(data_set, days=1, newest=None).by_age == 60
