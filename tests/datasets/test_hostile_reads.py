"""Hostile parameters get data or an error of one sentence."""

import json
from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datasets.queries.parameters import REPEATED, SINGLE
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records

pytestmark = pytest.mark.django_db

_TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        *(
            "'; DROP TABLE datasets_record; --",
            '") OR 1=1',
            "%s",
            "%(n)s",
            "{}",
            "$.n",
            '$."n"',
            "n:1e999999999",
            "n::",
        ),
        *("n:" + "9" * 5000, "n:-9223372036854775809", "n:1e308", "n:\\", 'n:"', "n:sum", 'a"b:set', "n':max", "a\\b"),
        *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "day", "year", "10000", "1", "true", "csv", "n:descending"),
        *("_id:", "_id:\U0001f600", "_timestamp:0001-01-01T00:00:00Z", "é:é", "n:NaN", "n:Infinity", "n:[[[[[["),
    ]
)
_PAIRS = st.lists(st.tuples(st.sampled_from([*SINGLE, *REPEATED]) | st.text(max_size=5), _TEXTS), max_size=5)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(_PAIRS)
@pytest.mark.fault("E5")
def test_hostile_parameters_get_an_answer(open_set, pairs):
    query = urlencode([(name, value.encode(errors="surrogatepass")) for name, value in pairs if name.isprintable()])

    answer = Client(raise_request_exception=False).get(f"/data/{open_set}?{query}")

    assert answer.status_code in {200, 400}, query
    if answer.status_code == 400:
        assert answer.json().keys() == {"status", "message"}
    elif answer.streaming:
        assert b"".join(answer.streaming_content).count(b"\n") <= 4


@pytest.fixture
def open_set() -> str:
    data_set = make_data_set(public=True)
    odd = [1, 2.5, "x"]
    put_in(data_set, [{"_timestamp": "2024-01-01T00:00:00Z", "n": value, 'a"b': value, "a\\b": value} for value in odd])
    return str(data_set)


@pytest.mark.parametrize(
    ("parameter", "most"), [("group_by", 20), ("collect", 100), ("filter_by", 50), ("filter_by_prefix", 50)]
)
def test_a_parameter_has_a_limit_of_repetitions(parameter, most):
    data_set = make_data_set()
    put_in(data_set, some_records(3))
    token = make_token(data_set)
    values = {"group_by": "g{}", "collect": "c{}:max"}.get(parameter, "n:{}")
    around = "period=day&duration=1&" if parameter == "collect" else ""

    def asked(times: int):
        query = around + "&".join(f"{parameter}={values.format(n)}" for n in range(times))
        return call("GET", data_set, token, query=query)

    assert asked(most).status_code == 200
    refused = asked(most + 1)
    assert (refused.status_code, json.loads(refused.content)["message"]) == (
        400,
        f"{parameter} can be given at most {most} times.",
    )
