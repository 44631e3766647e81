"""`format=parquet` returns whole records as one table, of data sets with and without column files."""

import io
import json

import polars
import pytest
from django.urls import reverse

from datasets.columns import building
from tests.datasets.making import call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db

RECORDS = [
    {"n": 1, "share": 0.5, "name": "é", "is_open": True, "mixed": 1, "none": None, "Name": "x"},
    {"n": 2**40, "share": 2, "name": 'q"', "is_open": None, "mixed": "1", "list": [1, {"a": None}]},
    {"n": None, "share": 0.1, "is_open": False, "mixed": 2**64},
]


@pytest.fixture(params=[False, True], ids=["row store", "column files"])
def data_set(request):
    made = make_data_set()
    records = [{"_id": f"r{n}", "_timestamp": f"2024-01-0{n + 1}T00:00:00.5Z", **one} for n, one in enumerate(RECORDS)]
    put_in(made, records)
    if request.param:
        building.build(made, seconds=60, wait=False)
        put_in(made, [{"_id": "r9", "_timestamp": "2025-01-01T00:00:00Z", "n": 9, "later": "yes"}])
    else:
        put_in(made, [{"_id": "r9", "_timestamp": "2025-01-01T00:00:00Z", "n": 9, "later": "yes"}])
    return made


def read(data_set, query: str) -> polars.DataFrame:
    answer = call("GET", data_set, make_token(data_set), query=query)
    assert answer.status_code == 200, answer.content
    assert answer.headers["Content-Type"] == "application/vnd.apache.parquet"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="pay_volumes.parquet"'
    return polars.read_parquet(io.BytesIO(b"".join(answer)))


def test_all_records(data_set):
    found = read(data_set, "format=parquet")

    assert found["_id"].to_list() == ["r0", "r1", "r2", "r9"]
    assert found["_timestamp"].to_list()[0].isoformat() == "2024-01-01T00:00:00.500000"
    assert found["n"].to_list() == [1, 2**40, None, 9]
    assert found["share"].to_list() == [0.5, 2.0, 0.1, None]
    assert found["name"].to_list() == ["é", 'q"', None, None]
    assert found["is_open"].to_list() == [True, None, False, None]
    assert found["mixed"].to_list() == ["1", '"1"', str(2**64), None]
    assert json.loads(found["list"].to_list()[1]) == [1, {"a": None}]
    assert found["later"].to_list()[3] == "yes"
    assert found["_updated_at"].null_count() == 0


def test_filters_order_and_limit(data_set):
    assert read(data_set, "format=parquet&filter_by=is_open:true")["_id"].to_list() == ["r0"]
    assert read(data_set, "format=parquet&sort_by=n:descending&limit=2")["_id"].to_list() == ["r1", "r9"]
    span = "start_at=2024-01-02T00:00:00Z&end_at=2024-02-01T00:00:00Z"
    assert read(data_set, f"format=parquet&{span}")["_id"].to_list() == ["r1", "r2"]
    assert read(data_set, "format=parquet&filter_by=n:77").height == 0


@pytest.mark.parametrize("query", ["group_by=n", "period=day&duration=3"])
def test_groups_and_periods_have_no_parquet(data_set, query):
    answer = call("GET", data_set, make_token(data_set), query=f"format=parquet&{query}")

    assert answer.status_code == 400
    assert answer.json()["message"] == "format=parquet works only on raw reads, without group_by and period."


def test_the_console_exports_it(data_set, admin_client):
    url = reverse("admin:datasets_dataset_export", args=[data_set.pk])
    assert "as Parquet" in admin_client.get(url).content.decode()

    answer = admin_client.post(url, {"form": "parquet"})

    assert polars.read_parquet(io.BytesIO(b"".join(answer.streaming_content))).height == 4


def test_selected_fields(data_set):
    found = read(data_set, "format=parquet&select=n&select=_day_start_at&select=absent&select=_id")

    assert found.columns == ["n", "_day_start_at", "absent", "_id"]
    assert found["n"].to_list() == [1, 2**40, None, 9]
    assert found["_day_start_at"].to_list()[0].isoformat() == "2024-01-01T00:00:00"
    assert found["absent"].null_count() == 4
