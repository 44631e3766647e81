"""The CSV of a data set with column files comes from these, as far as they are built."""

import pytest

from datasets.columns import building, files
from datasets.models import DataSet, Record, Segment
from datasets.queries import csv_lines, header, parameters
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def data_set() -> DataSet:
    found = make_data_set()
    put_in(found, [{"_id": f"r{n:02}", "_timestamp": f"2024-01-{n:02}T00:00:00Z", "n": n} for n in range(1, 21)])
    building.build(found, seconds=60, wait=False)
    return DataSet.objects.get(pk=found.pk)


def lines(data_set: DataSet, question: str = "format=csv&select=n") -> list[str]:
    query = parameters.parse(question, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    return "".join(csv_lines.table(data_set, query, query.select or header.of(data_set, query))).splitlines()


def change_behind_the_back() -> None:
    """Change the row store without opening the segments, so that an answer shows where it comes from."""
    Record.objects.update(body='{"n":0}')


def test_built_segments_are_read_from_files_and_later_records_from_the_row_store(data_set):
    put_in(data_set, [{"_id": "later", "_timestamp": "2024-02-01T00:00:00Z", "n": 21}])
    change_behind_the_back()

    assert Segment.objects.filter(is_built=True).count() == 4
    assert lines(data_set) == ["n", *map(str, range(1, 21)), "0"]


def test_a_segment_that_is_only_partly_in_the_range_is_read_from_the_row_store(data_set):
    change_behind_the_back()

    found = lines(data_set, "format=csv&select=n&start_at=2024-01-03T00:00:00Z&end_at=2024-01-15T00:00:00Z")

    assert found == ["n", *["0"] * 4, *map(str, range(7, 13)), *["0"] * 2]


def test_a_segment_that_is_opened_during_the_read_is_read_from_the_row_store(data_set):
    query = parameters.parse("format=csv&select=n", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    found = csv_lines.lines(data_set, query, ["n"])
    first = next(found)

    put_in(data_set, [{"_id": "r13", "_timestamp": "2024-01-13T00:00:00Z", "n": 99}])

    assert (first + "".join(found)).splitlines() == [str(99 if n == 13 else n) for n in range(1, 21)]


@pytest.mark.parametrize("change", ["missing", "damaged"])
def test_a_file_that_cannot_be_read_is_replaced_by_the_row_store(data_set, change):
    for segment in Segment.objects.filter(is_built=True):
        files.forget(segment.file)
        if change == "missing":
            files.file_store().delete(segment.file)
        else:
            with files.file_store().open(segment.file, "wb") as file:
                file.write(b"damaged")

    assert lines(data_set) == ["n", *map(str, range(1, 21))]
    assert not Segment.objects.filter(is_built=True).exists()


def test_a_local_copy_that_cannot_be_read_is_replaced_by_the_row_store(data_set):
    for copy in files.cache_folder().glob("*.parquet"):
        copy.write_bytes(b"damaged")

    assert lines(data_set) == ["n", *map(str, range(1, 21))]


def test_a_segment_without_records_has_no_lines(data_set):
    first = Segment.objects.order_by("starts_at")[0]
    building.records_of(first).delete()
    Segment.objects.filter(pk=first.pk).note_change()
    building.build(data_set, seconds=60, wait=False)

    assert Segment.objects.filter(is_built=True, file="").count() == 1
    assert lines(data_set) == ["n", *map(str, range(first.records + 1, 21))]


VALUES = [
    "=1+1",
    "＝1",
    "-5",
    "'",
    'a"b',
    "a,b",
    "a\nb",
    "a\rb",
    "",
    " ",
    "é\U0001f600",
    None,
    True,
    False,
    [],
    {"a": [1]},
]
VALUES += [0, -1, 2**63 - 1, 2**70, -0.0, 0.1, 1e22, 1e-7, 123456789.125, 5e-324, 1.7e308]


def test_every_value_is_written_as_from_the_row_store():
    found = make_data_set()
    put_in(
        found,
        [
            {"_id": f"={n}", "_timestamp": f"0001-01-01T00:00:{n:02}.{n:06}Z", "v": value, "V": value, f"v{n}": value}
            for n, value in enumerate(VALUES)
        ],
    )
    wanted = lines(found, "format=csv")
    building.build(found, seconds=60, wait=False)
    found = DataSet.objects.get(pk=found.pk)

    assert Segment.objects.filter(is_built=True).count() > 2
    assert lines(found, "format=csv") == wanted
