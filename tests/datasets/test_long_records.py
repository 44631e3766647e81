"""Records of many megabytes are read a few at a time, in any order and form, and each comes once."""

import json
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from datasets.models import Record
from datasets.queries import parameters, raw, selected
from datasets.records import check
from datasets.store.batch import IN_MEMORY, FiledBody, RecordBatch
from tests.datasets.making import ALL, BOUNDS, call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db

ORDERS = ["", "_id:descending", "_timestamp:descending", "_start_at:ascending", "n:ascending", "n:descending"]
LONG = "x" * selected.SHORT


def record(number: int) -> dict[str, object]:
    start = {"_start_at": f"2024-02-{number % 28 + 1:02}T00:00:00Z"} if number % 2 else {}
    own = {"n": number % 4, "text": f"{number}é" + LONG * (number % 3)}
    return {"_id": f"r{number:02}", "_timestamp": f"2024-01-{number % 28 + 1:02}T00:00:00Z", **start, **own}


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(made, [record(number) for number in range(40)])
    return made


def pages(data_set, asked: dict[str, str]) -> Iterator[raw.Page]:
    after = ""
    while after is not None:
        more = {"cursor": after} if after else {}
        text = urlencode(asked | more)
        page = raw.Page(data_set.store_id, parameters.parse(text, data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL))
        yield page
        after = page.next_cursor


@pytest.mark.parametrize("order", ORDERS)
def test_long_and_short_records_come_in_order_and_whole(data_set, order):
    asked = {"limit": "7"} | ({"sort_by": order} if order else {})

    found = [row for page in pages(data_set, asked) for row in page.rows]

    assert {row.record_id: row.fields() for row in found} == {
        f"r{number:02}": {"n": number % 4, "text": f"{number}é" + LONG * (number % 3)} for number in range(40)
    }
    whole = {"limit": "100"} | ({"sort_by": order} if order else {})
    assert found == [row for page in pages(data_set, whole) for row in page.rows]


@pytest.mark.parametrize("order", ORDERS)
def test_a_record_that_is_deleted_during_the_read_ends_no_page(data_set, order):
    asked = {"limit": "7"} | ({"sort_by": order} if order else {})
    seen: list[str] = []

    for page in pages(data_set, asked):
        for number, row in enumerate(page.rows):
            seen.append(row.record_id)
            if not number:
                Record.objects.filter(store_id=data_set.store_id, record_id__in=["r20", "r23", "r26"]).delete()

    kept = {f"r{number:02}" for number in range(40)} - {"r20", "r23", "r26"}
    assert kept <= set(seen)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("query", ["", "format=ndjson", "format=csv", "format=csv&limit=100", "sort_by=n:ascending"])
def test_an_answer_of_many_megabytes_is_streamed(query):
    data_set = make_data_set(type="large")
    put_in(
        data_set, [{"_id": f"r{n}", "_timestamp": "2024-01-01T00:00:00Z", "n": n, "t": LONG * 600} for n in range(4)]
    )

    answer = call("GET", data_set, make_token(data_set), query=query)
    text = b"".join(answer).decode()

    assert answer.streaming
    assert text.count(LONG * 600) == 4
    if not query.startswith("format"):
        assert [row["_id"] for row in json.loads(text)["data"]] == ["r0", "r1", "r2", "r3"]


def test_long_bodies_of_a_batch_wait_in_a_file_and_are_stored_whole():
    data_set = make_data_set()
    texts = ["a", "\U0001f600" + "b" * IN_MEMORY, "é" * 2 * IN_MEMORY, "\\d\n" * IN_MEMORY]
    sent = [{"_id": f"r{n % 3}", "_timestamp": "2024-01-01T00:00:00Z", "t": text} for n, text in enumerate(texts)]

    for _ in range(2):  # new records, then replaced ones
        put_in(data_set, sent)

    assert {row.record_id: row.fields()["t"] for page in pages(data_set, {}) for row in page.rows} == {
        "r0": texts[3],
        "r1": texts[1],
        "r2": texts[2],
    }
    kept = RecordBatch(check(sent, auto_ids=())).finish()
    assert [isinstance(record.body, FiledBody) for record in kept] == [True, True, True]
