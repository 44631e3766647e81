"""Programs that know only docs/reference/column-files.md read the records from the files."""

import json
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

from datasets.columns import building, files
from tests.datasets.making import make_data_set, put_in
from tests.datasets.test_answers import EDGES

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder() -> Path:
    data_set = make_data_set()
    records = [
        {"_id": f"r{n:03}", "_timestamp": f"2024-{n % 12 + 1:02}-01T00:00:00Z", "v": value, "channel": "web"}
        for n, value in enumerate(EDGES)
    ]
    put_in(data_set, records)
    building.build(data_set, seconds=60, wait=False)
    return Path(files.file_store().path(str(data_set.store_id)))


def value(row: dict[str, object]) -> object:
    """Return the value of the field `v`, as the page says: it is in exactly one of its columns."""
    found = [row[name] for name in ("whole:v", "double:v", "text:v") if row.get(name) is not None]
    found += [json.loads(str(row["other:v"]))] if row.get("other:v") is not None else []
    (only,) = found
    return only


def check(rows: list[dict[str, object]]) -> None:
    assert len(rows) == len(EDGES)
    for row in rows:
        wanted = EDGES[int(str(row["_id"])[1:])]
        assert json.dumps(value(row)) == json.dumps(wanted)
        assert row["text:channel"] == "web"


def test_duckdb(folder):
    found = duckdb.sql(f"SELECT * FROM read_parquet('{folder}/*.parquet', union_by_name = true)")  # noqa: S608
    check([dict(zip(found.columns, row, strict=True)) for row in found.fetchall()])


def test_polars(folder):
    frames = [polars.read_parquet(path) for path in folder.glob("*.parquet")]
    check(polars.concat(frames, how="diagonal_relaxed").to_dicts())


def test_pyarrow(folder):
    paths = [str(path) for path in folder.glob("*.parquet")]
    schema = pyarrow.unify_schemas([pyarrow.parquet.read_schema(path) for path in paths])
    check(pyarrow.dataset.dataset(paths, schema=schema).to_table().to_pylist())
