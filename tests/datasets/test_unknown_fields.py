"""A name that looks like a path or a comparison is refused, unless a record has a field of exactly this name."""

from urllib.parse import urlencode

import pytest

from tests.datasets.making import call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db

AT = "2024-01-01T00:00:00Z"
DAY = [("period", "day"), ("start_at", AT), ("end_at", "2024-01-02T00:00:00Z")]
NAMES = [
    *("geo.city", "geo[country]", "tags[0]", "$.geo", "geo->country", "geo/country", "ms>1000", "ms<=5", "ms=5"),
    *("!channel", "channel,ms", "ms|channel", "sum(ms)", "*", "channel*", "{channel}", "a'b", 'a"b'),
]


@pytest.fixture
def data_set():
    data_set = make_data_set(public=True)
    put_in(data_set, [{"_timestamp": AT, "geo": {"country": "GB"}, "ms": 1200, "channel": "web", "tags": ["x"]}])
    return data_set


def ask(data_set, *pairs):
    answer = call("GET", data_set, make_token(data_set), query=urlencode(pairs))
    return answer.status_code, answer.json()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("parameter", "value", "others"),
    [
        ("filter_by", "{}:GB", []),
        ("filter_by_prefix", "{}:G", []),
        ("filter_by", "{}:GB", DAY),
        ("group_by", "{}", []),
        ("collect", "{}:sum", DAY),
        ("collect", "{}", [("group_by", "channel")]),
        ("sort_by", "{}:ascending", []),
    ],
)
def test_a_name_that_no_record_has_is_an_error(data_set, name, parameter, value, others):
    status, body = ask(data_set, (parameter, value.format(name)), *others)

    assert status == 400
    assert body["message"].startswith(f"{parameter}: no record has the field {name}. For comparisons")


@pytest.mark.parametrize("name", NAMES)
def test_the_same_name_works_once_a_record_has_it(data_set, name):
    put_in(data_set, [{"_timestamp": AT, "_id": "odd", name: "GB"}])

    assert [row["_id"] for row in ask(data_set, ("filter_by", f"{name}:GB"))[1]["data"]] == ["odd"]
    assert ask(data_set, ("filter_by", f"{name}:other")) == (200, {"data": [], "next_cursor": None})
    assert ask(data_set, ("group_by", name))[1]["data"] == [{name: "GB", "_count": 1}]
    assert ask(data_set, ("collect", name), *DAY)[1]["data"][0][f"{name}:set"] == ["GB"]


def test_a_plain_name_that_no_record_has_is_no_error(data_set):
    for name in ("country", "first-name", "postal code", "数量"):
        assert ask(data_set, ("filter_by", f"{name}:GB")) == (200, {"data": [], "next_cursor": None})


def test_an_empty_data_set_may_get_any_field_later():
    assert ask(make_data_set(), ("filter_by", "geo.country:GB")) == (200, {"data": [], "next_cursor": None})


def test_a_plain_name_needs_no_query_of_its_own(data_set, django_assert_num_queries):
    secret = make_token(data_set)
    with django_assert_num_queries(2):  # the data set and its records
        call("GET", data_set, secret, query="filter_by=channel:web")
