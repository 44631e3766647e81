"""Missing and damaged files change no answer. They are reported, and built again."""

import json
from pathlib import Path

import pytest

from datasets.columns import building, files
from datasets.models import DataSet, Segment
from datasets.queries import engines, parameters
from tests.datasets.making import ALL, BOUNDS, make_data_set, put_in
from tests.datasets.test_answers import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(made, [{"_id": f"r{n:02}", "_timestamp": f"2024-01-{n + 1:02}T00:00:00Z", "n": n % 3} for n in range(20)])
    building.build(made, seconds=60, wait=False)
    return DataSet.objects.get(pk=made.pk)


def answer(data_set) -> str:
    query = parameters.parse("group_by=n", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    return json.dumps(engines.grouped(data_set, query, now=NOW, max_rows=1000))


def stored_path(segment) -> Path:
    return Path(files.file_store().path(segment.file))


DAMAGES = {
    "missing": lambda path: path.unlink(),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "garbage": lambda path: path.write_bytes(b"x" * 1000),
    "garbage inside": lambda path: path.write_bytes(path.read_bytes()[:4] + b"x" * 200 + path.read_bytes()[204:]),
    "another file": lambda path: path.write_bytes(stored_path(Segment.objects.last()).read_bytes()),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_in_the_store(data_set, damage):
    wanted = answer(data_set)
    first = Segment.objects.first()
    files.forget(first.file)
    damage(stored_path(first))

    assert answer(data_set) == wanted
    assert not Segment.objects.get(pk=first.pk).is_built
    building.build(data_set, seconds=60, wait=False)
    assert Segment.objects.get(pk=first.pk).is_built
    assert answer(data_set) == wanted


@pytest.mark.parametrize("damage", ["missing", "cut", "garbage", "garbage inside"])
def test_a_damaged_copy_of_this_machine(data_set, damage):
    wanted = answer(data_set)
    for copy in files.cache_folder().glob("*.parquet"):
        DAMAGES[damage](copy)

    assert answer(data_set) == wanted
    assert Segment.objects.filter(is_built=False).count() == 0


@pytest.mark.parametrize(
    "question", ["group_by=n", "sort_by=n:ascending&limit=100", "filter_by_prefix=_id:r&limit=100"]
)
def test_answers_come_from_the_files(data_set, question):
    query = parameters.parse(question, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)
    first, second = Segment.objects.all()[:2]
    files.fetch(first.file).write_bytes(files.fetch(second.file).read_bytes())  # a copy is not checked again

    if query.is_raw:
        ids = [row.record_id for row in engines.rows(data_set, query)]
        assert len(ids) == 20
        assert "r00" not in ids
    else:
        put_in(data_set, [{"_id": "x", "_timestamp": "2025-01-01T00:00:00Z", "n": 7}])  # open, from the row store
        rows = engines.grouped(data_set, query, now=NOW, max_rows=1000)
        assert sum(row["_count"] for row in rows) == 21
