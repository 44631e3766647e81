"""A token of some services reads of the statistics exactly what a data set of their records alone would answer."""

import base64
import io
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, urlencode

import polars
import pytest
from django.test import Client

from datasets import tokens
from datasets.columns import building
from datasets.models import DataSet, SavedQuery
from datasets.queries import cursor
from datasets.queries.cursor import LongText, Position
from datasets.records import moments
from datasets.saved_queries import answering, deriving
from datasets.saved_queries import tokens as query_tokens
from tests.datasets.making import call, make_data_set, make_token, put_in, stored
from tests.datasets.saved_queries.making import save

pytestmark = pytest.mark.django_db

A, B, C = (f"00000000-0000-4000-8000-00000000000{n}" for n in "abc")
READERS = {"operator": None, "of A": [A], "of A and B": [A, B]}
_LONG = "x" * 600
RECORDS = [
    *(
        {
            "_id": f"{place:02}/{service[-1]}/{n}", "_timestamp": f"2026-0{1 + n % 6}-1{place % 9}T0{n}:00:00Z",
            "service_id": service, "service": f"name of {service[-1]}", "status": ("delivered", "failed")[n % 2],
            "count": 10 * place + n, "cost": n / 8, "long": f"{_LONG}{service[-1]}{n}",
        }
        for place, service in enumerate((A, C, B, C, A, B, C))
        for n in range(6)
    ),
    {"_id": "97", "_timestamp": "2026-02-01T00:00:00Z", "api": "data", "data_set": "pay/volumes", "count": 7},
    {"_id": "98", "_timestamp": "2026-02-01T00:00:00Z", "service_id": None, "count": 8},
    {"_id": "99", "_timestamp": "2026-02-01T00:00:00Z", "service_id": [A], "count": 9},
]  # fmt: skip
_TRUE = [f'service_id = "{C}" or true = true', f'service_id = "{C}" or count >= 0', f'not service_id = "{A}"']
QUERIES = [
    "",
    "format=csv",
    "format=ndjson",
    "format=csv&limit=9",
    "select=count&select=service",
    "format=csv&select=service",
    "sort_by=count:descending",
    "sort_by=service:ascending&limit=4",
    "sort_by=_updated_at:ascending",
    "filter_by=" + quote(f"service_id:{C}"),
    "filter_by_prefix=" + quote("service_id:00000000"),
    "filter_by=_id:" + quote("01/c/0"),
    "start_at=2026-02-01T00:00:00Z&end_at=2026-04-01T00:00:00Z&inclusive=true",
    *(urlencode({"where": f"({one})"}) for one in _TRUE[1:]),
    urlencode({"where": "service_id exists and not (count < 0)"}),
    "group_by=service_id&collect=count:sum&collect=cost:mean&collect=count:p95&collect=service:set",
    "group_by=service&group_by=status&format=csv",
    "group_by=status&collect=count:sum&" + urlencode({"having": "count:sum >= 0 or _count > 0"}).replace("%3A", ":"),
    "group_by=_hour_of_day&time_zone=Europe/London&collect=count:sum",
    "collect=count:sum&collect=count:distinct&collect=service:first&collect=service:last&collect=count:stddev",
    "period=month&start_at=2026-01-01T00:00:00Z&end_at=2026-07-01T00:00:00Z&moving=2&collect=count:sum",
    "group_by=service&collect=count:sum&compare=previous_period&start_at=2026-04-01T00:00:00Z&end_at=2026-07-01T00:00:00Z",
    "group_by=service&period=month&start_at=2026-01-01T00:00:00Z&end_at=2026-07-01T00:00:00Z&format=csv&limit=1"
    "&sort_by=_count:descending",
    "sort_by=long:ascending&limit=5",
]


def of(services: Iterable[str] | None) -> list[dict]:
    return [one for one in RECORDS if services is None or one.get("service_id") in tuple(services)]


def fill(data_set: DataSet, records: list[dict], *, with_files: bool) -> DataSet:
    put_in(data_set, records[3:])
    if with_files:
        building.build(data_set, seconds=60, wait=False)
    put_in(DataSet.objects.get(pk=data_set.pk), records[:3])  # in an open segment
    return DataSet.objects.get(pk=data_set.pk)


def make_statistics(*, with_files: bool = False) -> DataSet:
    return fill(make_data_set("signalbox", "messages", is_of_product=True), RECORDS, with_files=with_files)


@pytest.fixture
def statistics() -> DataSet:
    return make_statistics()


def body(answer) -> str:
    assert answer.status_code == 200, answer.content
    text = (b"".join(answer) if answer.streaming else answer.content).decode()
    return re.sub(r"20\d\d-\d\d-\d\dT[\d:.]+\.\d+Z", "now", text)  # `_updated_at` has microseconds, no other moment


def pages(data_set: DataSet, secret: str, query: str) -> list[str]:
    """Return the answers of all pages, without their cursors, which name the query."""
    found, after = [], ""
    while len(found) < 60:
        text = body(call("GET", data_set, secret, query=query + after))
        found.append(re.sub(r'"next_cursor":"[^"]*"', "", text))
        following = re.search(r'"next_cursor":"([^"]+)"', text)
        if following is None:
            return found
        after = f"&cursor={following[1]}"
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("with_files", [False, True], ids=["row store", "column files"])
def test_every_query_answers_as_if_there_were_no_other_records(with_files):
    statistics = make_statistics(with_files=with_files)
    for name, services in READERS.items():
        copy = fill(make_data_set("copy", name.replace(" ", "-").lower()), of(services), with_files=False)
        secret, of_copy = make_token(statistics, "read", services=services), make_token(copy, "read")
        for query in QUERIES:
            expected = pages(copy, of_copy, query)
            assert pages(statistics, secret, query) == expected, (name, query)
            assert services is None or C not in "".join(expected)
        tables = [
            polars.read_parquet(io.BytesIO(b"".join(call("GET", data_set, one, query="format=parquet"))))
            for data_set, one in ((statistics, secret), (copy, of_copy))
        ]
        assert tables[0]["_id"].to_list() == tables[1]["_id"].to_list()


def test_what_is_not_limited_to_the_records_is_refused(statistics):
    own, whole = make_token(statistics, "read", services=[A]), make_token(statistics, "read")
    nobody, outsider = make_token(statistics, "read", services=[]), make_token(make_data_set(), "read")

    def status(secret: str, part: str = "", **headers: str) -> int:
        sent = {"Authorization": f"Bearer {secret}", **headers}
        return Client().get(f"/data/signalbox/messages{part}", headers=sent).status_code

    mine, foreign = (f"/records/{quote(one, safe='')}" for one in ("00/a/1", "01/c/1"))
    assert [status(own, part) for part in (mine, foreign, "/records/97", "/records/99")] == [200, 404, 404, 404]
    assert [status(whole, part) for part in (mine, foreign, "/records/97")] == [200, 200, 200]
    for secret in (nobody, outsider):
        assert {status(secret, part) for part in ("", "?format=parquet", mine, foreign, "/schema")} == {403}
    refused = Client().get("/data/signalbox/messages/schema", headers={"Authorization": f"Bearer {own}"})
    assert (refused.status_code, "only the records of its own services" in refused.json()["message"]) == (403, True)


def test_a_cursor_and_an_entity_tag_of_another_reader_have_no_effect(statistics):
    whole, own = make_token(statistics, "read"), make_token(statistics, "read", services=[A])
    of_two = make_token(statistics, "read", services=[A, B])
    page = call("GET", statistics, whole, query="limit=3")
    following = f"limit=3&cursor={page.json()['next_cursor']}"

    assert call("GET", statistics, whole, query=following).status_code == 200
    for secret in (own, of_two):
        assert call("GET", statistics, secret, query=following).status_code == 400
        again = call("GET", statistics, secret, query="limit=3", if_none_match=page.headers["ETag"])
        assert (again.status_code, again.headers["ETag"] != page.headers["ETag"]) == (200, True)
    # The cursor of a long text names a record. A forged one must not compare with the text of a foreign record.
    by_text = "sort_by=long:ascending&limit=1"
    mine = call("GET", statistics, own, query=by_text).json()["next_cursor"]
    identity = json.loads(base64.urlsafe_b64decode(mine + "=="))[1]
    foreign = next(one for one in RECORDS if one["_id"] == "01/c/1")
    place = Position(LongText.of(foreign["long"]), moments.parse(foreign["_timestamp"]), foreign["_id"])
    forged = cursor.write(identity, place)
    assert call("GET", statistics, own, query=f"{by_text}&cursor={mine}").status_code == 200
    assert call("GET", statistics, own, query=f"{by_text}&cursor={forged}").status_code == 400
    with_tag = call("GET", statistics, own, query="group_by=service")
    again = call("GET", statistics, own, query="group_by=service", if_none_match=with_tag.headers["ETag"])
    assert again.status_code == 304


@pytest.mark.parametrize("with_files", [False, True], ids=["row store", "column files"])
def test_a_saved_query_reads_the_services_it_was_made_for_whoever_reads_it(with_files):
    statistics = make_statistics(with_files=with_files)
    asked = {"split": "service", "range": {"kind": "all"}, "where": "service_id exists or count > 0"}
    made = {
        name: save(statistics, asked, name=name, services=services, is_public=True)
        for name, services in READERS.items()
    }
    found = {}
    for _ in range(2):  # computed, then from the stored answer
        for name, query in made.items():
            found[name] = {
                row["service"]: row["value"] for row in Client().get(f"/queries/{query.public_id}.json").json()["data"]
            }
            assert all(mark in Client().get(f"/queries/{query.public_id}.csv").content.decode() for mark in found[name])

    assert found["of A"] == {"name of a": 12}
    assert found["of A and B"] == {"name of a": 12, "name of b": 12}
    assert found["operator"].keys() == {"name of a", "name of b", "name of c"}
    _, secret = query_tokens.issue(made["of A"])
    listed = Client().get(
        "/queries", headers={"Authorization": f"Bearer {make_token(statistics, 'read', services=[A])}"}
    )
    assert [one["name"] for one in listed.json()["data"]] == ["of A"]
    assert Client().get("/queries", headers={"Authorization": f"Bearer {secret}"}).json()["data"][0]["name"] == "of A"


def test_derived_sets_and_ratios_have_the_records_of_their_services_only(statistics):
    target, everything = make_data_set("own", "derived"), {"range": {"kind": "all"}}
    query = save(statistics, {**everything, "split": "service"}, services=[B], stored_in=target, stored_every="hour")
    deriving.store_rows(query, now=answering.timezone.now())
    assert [(one["service"], one["value"]) for one in stored(target).values()] == [("name of b", 12)]

    own = make_data_set("own", "visits")
    put_in(own, [{"_id": "1", "_timestamp": "2026-02-01T00:00:00Z", "service_id": C, "n": 120}])
    ratio = {**everything, "measure": {"field": "n"}, "divided_by": {"field": "", "data_set": "signalbox/messages"}}
    for services, expected in (([A], 10), ([A, B], 5), (None, 120 / len(RECORDS))):
        query = save(own, ratio, name=str(services), services=services)
        assert answering.answer(query).rows[0].value == expected
    forgotten = SavedQuery.objects.create(data_set=statistics, name="forgotten", question=query.question)
    assert forgotten.services == []
    answer = Client().get(
        f"/queries/{forgotten.public_id}.json",
        headers={"Authorization": f"Bearer {query_tokens.issue(forgotten)[1]}"},
    )
    assert answer.status_code != 200
    assert "forgotten" not in json.dumps(answer.json())


def test_a_rotated_token_reads_the_same_services(statistics):
    token, _ = tokens.issue(statistics, ["read"], services=[B, A])

    successor, _ = tokens.rotate(token)

    assert successor.services == [A, B]
