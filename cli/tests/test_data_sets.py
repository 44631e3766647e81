"""Records: batches, generators, files, queries and pages."""

import asyncio
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
import signalbox
from signalbox import AsyncSignalbox, Signalbox

from tests.conftest import DATA_TOKEN, KEY, URL
from tests.servers import serve

START = datetime(2026, 11, 20, tzinfo=UTC)
STORED = (200, {}, {"status": "ok"})
DAY = {"start_at": START, "end_at": START + timedelta(days=1)}


@dataclass
class Visit:
    timestamp: datetime
    count: int
    page: str = "/start"


def records(number):
    return (
        {"_timestamp": START + timedelta(minutes=n), "_id": str(n), "count": n, "page": "/a:b"} for n in range(number)
    )


def test_a_generator_is_written_in_batches_and_read_in_pages(visits):
    assert visits.write(records(25), batch_size=10) == 25

    assert [one["count"] for one in visits.iter_records(limit=7)] == list(range(25))
    assert (
        visits.query(filter_by={"page": "/a:b"}, period="day", collect={"count": ["sum", "max"]}, **DAY)[0]
        == {
            "_start_at": "2026-11-20T00:00:00+00:00",
            "_end_at": "2026-11-21T00:00:00+00:00",
            "_count": 25,
            "count:sum": 300,
            "count:max": 24,
        }
        | visits.query(period="day", collect={"count": ["sum", "max"]}, **DAY)[0]
    )


def test_rows_are_dataclasses_if_wanted(visits):
    @dataclass
    class Stored:
        timestamp: str
        count: int

    visits.write([{"_timestamp": START, "count": 4}])

    assert visits.query(as_=Stored)[0].count == 4
    assert visits.query(as_=Stored)[0].timestamp.startswith("2026-11-20T00:00:00")


def test_a_batch_that_is_refused_names_its_record_and_what_was_written(visits):
    wrong = [*records(2), {"_timestamp": "yesterday"}]

    with pytest.raises(signalbox.InvalidRequest) as caught:
        visits.write(wrong, batch_size=2)

    assert caught.value.written == 2
    assert "record 0, _timestamp: must be an ISO 8601 date-time" in caught.value.message
    assert len(visits.query()) == 2


def test_each_batch_has_one_key_for_all_attempts(monkeypatch):
    monkeypatch.setattr("signalbox._wire._FIRST_DELAY_SECONDS", 0.01)
    with serve(None, STORED) as (url, script):
        Signalbox(url, data_token="ds_x").data_set("a/b").write(records(3), batch_size=2)

    keys = [headers["Idempotency-Key"] for _, _, headers, _ in script.asked]
    assert (len(keys), keys[0] == keys[1], keys[1] == keys[2]) == (3, True, False)


@pytest.mark.parametrize("body", [{}, b"", {"status": "fine"}, []])
def test_an_answer_of_another_service_is_no_success(body):
    with serve((200, {}, body)) as (url, _):
        data_set = Signalbox(url, data_token="ds_x").data_set("a/b")
        with pytest.raises(signalbox.ApiError, match="did not answer as Signalbox does: 200 OK"):
            data_set.write(records(1))
        with pytest.raises(signalbox.ApiError, match="did not answer as Signalbox does: 200 OK"):
            data_set.empty()


def test_a_generator_is_read_only_as_fast_as_batches_are_stored():
    asked_at = []
    with serve(STORED) as (url, script):

        def read():
            for record in records(6):
                asked_at.append(len(script.asked))
                yield record

        Signalbox(url, data_token="ds_x").data_set("a/b").write(read(), batch_size=2)

    assert asked_at == [0, 0, 1, 1, 2, 2]


def test_a_batch_has_at_most_four_megabytes():
    with serve(STORED) as (url, script):
        Signalbox(url, data_token="ds_x").data_set("a/b").write({"text": "x" * 1_500_000} for _ in range(4))

    assert [len(json.loads(body)) for _, _, _, body in script.asked] == [2, 2]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "﻿_timestamp,count,code,note\n2026-11-20T09:00:00Z,4,007,\n"),
        ("a.json", '[{"_timestamp":"2026-11-20T09:00:00Z","count":4,"code":"007"}]'),
        ("a.ndjson", '{"_timestamp":"2026-11-20T09:00:00Z","count":4,"code":"007"}\n\n'),
    ],
)
def test_files_are_imported(visits, tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert visits.import_file(tmp_path / name) == 1
    (found,) = visits.query()
    assert (found["count"], found["code"], "note" in found) == (4, "007", False)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}])
def test_odd_values_are_found_before_the_call(value):
    data_set = Signalbox("http://127.0.0.1:1", data_token="ds_x", max_retries=0).data_set("a/b")

    with pytest.raises(signalbox.SignalboxError):
        data_set.write([value if isinstance(value, set) else {"a": value}])


def test_a_path_and_a_token_are_needed():
    with pytest.raises(signalbox.SignalboxError, match="is no data set"):
        Signalbox(URL).data_set("visits")
    with pytest.raises(signalbox.AuthenticationFailed, match="token of the data set"):
        Signalbox(URL, KEY).data_set("demo/visits").query()


def test_the_client_for_asyncio_writes_what_an_asynchronous_generator_yields(visits):
    async def slowly():
        for record in records(5):
            await asyncio.sleep(0)
            yield record

    async def use():
        async with AsyncSignalbox(URL) as client:
            data_set = client.data_set("demo/visits", DATA_TOKEN)
            await data_set.empty()
            assert await data_set.write(slowly(), batch_size=2) == 5
            assert await data_set.write(list(records(5))) == 5
            return [one["count"] async for one in data_set.iter_records(limit=2)], await data_set.query(limit=1)

    counts, rows = asyncio.run(use())
    assert (counts, rows[0]["count"]) == ([0, 1, 2, 3, 4], 0)
