"""Reads beyond the vectors: every page of every order, exports, and sums that are hard to compute."""

import csv
import io
import json
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from datasets.errors import InvalidQuery
from datasets.queries import cursor, parameters, raw
from datasets.records import moments
from tests.datasets import plain
from tests.datasets.making import ALL, BOUNDS, call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db

ODD = [
    *(0, -1, 2.5, 2**53, 2**53 + 1, 10**400, 10**401, 10**402, -(10**400), -(10**401)),
    *("", "a", "B", "é", "\U0001f600", "2", True, False, None, [], {}),
]


def fill_oddly(data_set) -> list[str]:
    """Store records with every kind of value, some at the same moment, one without the field, ids in random order."""
    records = [
        {"_timestamp": f"2024-01-{n % 3 + 1:02}T00:00:00Z", "_id": f"r{(n * 7) % 23:02}", "v": value}
        for n, value in enumerate(ODD)
    ]
    records.append({"_timestamp": "2024-01-02T00:00:00.5Z", "_id": "r99", "_start_at": "2024-01-01T00:00:00.25Z"})
    put_in(data_set, records)
    return sorted(record["_id"] for record in records)


def pages(data_set, secret, query: str) -> list[str]:
    found: list[str] = []
    next_cursor = ""
    while next_cursor is not None:
        extra = f"&cursor={quote(next_cursor)}" if next_cursor else ""
        answer = read(data_set, secret, f"{query}&limit=2{extra}").json()
        assert len(answer["data"]) <= 2
        found += [record["_id"] for record in answer["data"]]
        next_cursor = answer["next_cursor"]
    return found


def read(data_set, secret, query: str):
    answer = call("GET", data_set, secret, None) if not query else _get(data_set, secret, query)
    assert answer.status_code == 200, answer.content
    return answer


def _get(data_set, secret, query: str):
    path = f"/data/{data_set.group}/{data_set.type}?{query}"
    return Client().get(path, headers={"Authorization": f"Bearer {secret}"})


@pytest.mark.parametrize("key", ["v", "_id", "_timestamp", "_start_at", "_end_at", "_updated_at", "nothing"])
@pytest.mark.parametrize("direction", ["ascending", "descending"])
def test_pages_of_two_give_every_record_once_in_the_order_of_the_whole(key, direction):
    data_set = make_data_set()
    ids = fill_oddly(data_set)
    secret = make_token(data_set)
    whole = [record["_id"] for record in read(data_set, secret, f"sort_by={key}:{direction}").json()["data"]]

    paged = pages(data_set, secret, f"sort_by={key}:{direction}")

    assert paged == whole
    assert sorted(whole) == ids


@pytest.mark.parametrize("direction", ["ascending", "descending"])
def test_a_cursor_after_a_long_text_is_short_and_valid_until_its_record_changes(direction):
    data_set = make_data_set()
    values = [
        {"_timestamp": "2024-01-01T00:00:00Z", "_id": "i" * 1000 + str(n), "t": "é" * 9_000 + str(n)} for n in range(5)
    ]
    put_in(data_set, [*values, {"_timestamp": "2024-01-01T00:00:00Z", "_id": "none"}])
    secret = make_token(data_set)
    query = f"sort_by=t:{direction}"
    whole = [record["_id"] for record in read(data_set, secret, query).json()["data"]]

    assert pages(data_set, secret, query) == whole

    page = read(data_set, secret, f"{query}&limit=2").json()
    assert len(page["next_cursor"]) < 2_000
    put_in(data_set, [{**page["data"][-1], "t": "changed"}])
    gone = call("GET", data_set, secret, query=f"{query}&cursor={page['next_cursor']}")
    assert (gone.status_code, gone.json()["message"]) == (400, "The cursor does not belong to this query.")


@pytest.mark.parametrize("period", ["", "&period=hour"])
def test_one_instant_is_read_with_inclusive(period):
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": f"2024-01-01T00:00:0{second}Z", "_id": f"{second}"} for second in (0, 1, 2)])
    secret = make_token(data_set)
    instant = f"start_at=2024-01-01T00:00:01Z&end_at=2024-01-01T00:00:01Z{period}"

    found = read(data_set, secret, f"{instant}&inclusive=true").json()["data"]

    assert [row.get("_id", row.get("_count")) for row in found] == [1 if period else "1"]
    for refused in (instant, f"{instant}&inclusive=false", f"{instant}&inclusive=yes"):
        answer = call("GET", data_set, secret, query=refused)
        assert (answer.status_code, answer.json()["message"]) == (400, "end_at must be later than start_at.")


def test_numbers_too_large_for_a_double_sort_at_the_ends():
    data_set = make_data_set()
    fill_oddly(data_set)
    secret = make_token(data_set)

    shown = [record.get("v") for record in read(data_set, secret, "sort_by=v:ascending").json()["data"]]

    assert {shown[0], shown[1]} == {-(10**400), -(10**401)}
    assert shown[5:7] == [2**53, 2**53 + 1]
    assert set(shown[7:10]) == {10**400, 10**401, 10**402}


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_an_export_has_all_records_whatever_the_page_size(form, settings):
    settings.DATASETS_DEFAULT_LIMIT = 10
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "_id": f"{n:04}", "n": n} for n in range(2_500)])

    answer = read(data_set, make_token(data_set), f"format={form}")

    text = b"".join(answer.streaming_content).decode()
    rows = (
        list(csv.DictReader(io.StringIO(text))) if form == "csv" else [json.loads(line) for line in text.splitlines()]
    )
    assert [int(row["n"]) for row in rows] == list(range(2_500))


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        pytest.param("", {"n", "first", "at the border", "behind it", "last", "_start_at"}, id="all"),
        pytest.param("&filter_by=n:20000", {"n", "behind it"}, id="filtered"),
        pytest.param("&sort_by=n:descending&limit=1", {"n", "last"}, id="a page"),
        pytest.param("&filter_by=n:-1", set(), id="nothing"),
    ],
)
def test_the_header_of_a_csv_has_the_names_of_its_records_only(asked, named):
    data_set = make_data_set()
    records = [{"_timestamp": "2024-01-01T00:00:00Z", "_id": f"{n:05}", "n": n} for n in range(20_002)]
    for n, name in ((0, "first"), (19_999, "at the border"), (20_000, "behind it"), (20_001, "last")):
        records[n][name] = True
    records[7]["_start_at"] = "2024-01-01T00:00:00Z"
    put_in(data_set, records)

    answer = read(data_set, make_token(data_set), f"format=csv{asked}")

    text = b"".join(answer.streaming_content).decode()
    header = set(next(csv.reader(io.StringIO(text)), []))
    assert {name for name in header if name == "_start_at" or not name.startswith("_")} == named


def test_an_export_is_sorted_and_filtered_too():
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "n": n, "odd": n % 2 == 1} for n in range(10)])

    answer = read(data_set, make_token(data_set), "format=ndjson&sort_by=n:descending&filter_by=odd:true")

    assert [json.loads(line)["n"] for line in b"".join(answer.streaming_content).splitlines()] == [9, 7, 5, 3, 1]


def test_sums_of_whole_numbers_are_exact():
    data_set = make_data_set()
    numbers = [2**53, 1, 1, -(2**53)]
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "g": "x", "n": n} for n in numbers])

    (row,) = read(data_set, make_token(data_set), "group_by=g&collect=n:sum&collect=n:mean").json()["data"]

    assert (row["n:sum"], row["n:mean"]) == (2, 0.5)


@pytest.mark.fault("E2")
def test_no_answer_contains_an_infinity():
    data_set = make_data_set()
    huge = [1.7e308, 1.7e308, 10**400]
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "g": "x", "n": n} for n in huge])
    methods = "&".join(f"collect=n:{method}" for method in ("sum", "mean", "min", "max", "median", "p95", "set"))

    answer = read(data_set, make_token(data_set), f"group_by=g&{methods}")

    assert b"Infinity" not in answer.content
    assert b"NaN" not in answer.content


def test_more_groups_than_allowed_rows_are_rejected(settings):
    settings.DATASETS_MAX_ROWS = 5
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "n": n} for n in range(6)])
    secret = make_token(data_set)
    span = "period=day&start_at=2024-01-01T00:00:00Z&end_at=2024-01-04T00:00:00Z"

    assert _get(data_set, secret, "group_by=n").json()["message"] == "The result would have more than 5 rows."
    assert _get(data_set, secret, f"group_by=n&{span}&filter_by=n:1").status_code == 200


@pytest.mark.parametrize(
    ("wanted", "value", "holds"),
    [
        ("12", 12, True),
        ("12", 12.0, True),
        ("1.2e1", 12, True),
        ("012", 12, False),
        (" 12", 12, False),
        ("12", "12", True),
        ("true", True, True),
        ("true", 1, False),
        ("1", True, False),
        ("null", None, True),
        ("null", "null", True),
        ("NaN", "NaN", True),
        ("Infinity", 10**400, False),
        ("[]", [], False),
        ("9007199254740993", 9007199254740992.0, False),
    ],
)
def test_a_filter_matches_equal_values(wanted, value, holds):
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "v": value}])
    query = parameters.parse(
        urlencode({"filter_by": f"v:{wanted}"}), data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL
    )

    assert len(list(raw.Page(data_set.pk, query).rows)) == holds
    assert plain.matches(value, wanted) is holds


def forged() -> list[str]:
    good = cursor.write("other", cursor.Position(None, moments.parse("2024-01-01T00:00:00Z"), "a"))
    return [good, good + "A", good[:-2], "bnVsbA", "W10", "e30", "A" * 5000, "é", "====", "WzFd"]


@pytest.mark.parametrize("text", forged())
def test_a_forged_cursor_is_rejected(text):
    with pytest.raises(InvalidQuery, match="The cursor does not belong"):
        parameters.parse(f"cursor={quote(text)}", data_set_id=1, bounds=BOUNDS, reader=ALL)


def test_a_page_by_time_starts_at_its_place_in_the_index(django_assert_num_queries):
    data_set = make_data_set()
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "_id": f"{n:03}"} for n in range(100)])
    query = parameters.parse("limit=2", data_set_id=data_set.pk, bounds=BOUNDS, reader=ALL)

    with django_assert_num_queries(1):
        page = raw.Page(data_set.pk, query)
        rows = list(page.rows)

    assert [row.record_id for row in rows] == ["000", "001"]
    assert page.next_cursor
