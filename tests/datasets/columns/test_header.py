"""The header of the CSV of a data set with column files is known from its segments, and is that of its records."""

import pytest

from datasets.columns import building
from datasets.models import DataSet, Segment
from datasets.queries import header, parameters, raw
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in

pytestmark = pytest.mark.django_db


def some(first: int, last: int, **fields: object) -> list[dict[str, object]]:
    return [{"_id": f"r{n:02}", "_timestamp": f"2024-01-{n:02}T00:00:00Z", **fields} for n in range(first, last + 1)]


def of_records(data_set: DataSet) -> list[str]:
    query = parameters.parse("format=csv", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    return sorted(set(raw.field_names(data_set.store_id, query)))


def built(data_set: DataSet) -> DataSet:
    building.build(data_set, seconds=60, wait=False)
    return DataSet.objects.get(pk=data_set.pk)


def test_the_header_is_that_of_all_records_in_built_and_open_segments_and_after_them():
    data_set = make_data_set()
    put_in(data_set, some(1, 8, **{"a": 1, "A": "other case", "x:y": None, "é": [1]}))
    put_in(data_set, some(9, 20, b=True, _start_at="2024-01-01T00:00:00Z"))
    data_set = built(data_set)
    put_in(data_set, some(2, 2, late=1))
    put_in(data_set, some(25, 26, after=1, _end_at="2024-02-01T00:00:00Z"))

    assert {one.is_built for one in Segment.objects.all()} == {True, False}
    assert any("_rest" in one.columns for one in Segment.objects.all())
    assert header.names(data_set) == of_records(data_set)
    assert {"A", "after", "late", "x:y", "_start_at", "_end_at"} <= set(header.names(data_set))


def test_built_segments_are_not_read(django_assert_num_queries):
    data_set = make_data_set()
    put_in(data_set, some(1, 20, a=1))
    data_set = built(data_set)
    Segment.objects.filter(is_built=False).delete()

    with django_assert_num_queries(3):  # the segments, and two for what comes after them
        found = header.names(data_set)

    assert found == of_records(data_set)


def test_a_data_set_without_records_has_no_header():
    assert header.names(make_data_set()) == []
