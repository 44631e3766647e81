"""Each error of this area links to its entry in the documentation. Source: docs/reference/data-sets.md §10."""

import pytest

from datasets.errors import NoRecords
from tests.datasets.making import call, make_data_set, make_token


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "body", "query", "slug"),
    [
        ("POST", [{}], "", "data-records-refused"),
        ("POST", [], "", "data-no-records"),
        ("POST", b"[", "", "data-not-json"),
        ("POST", b"\xff", "", "data-not-utf8"),
        ("PUT", {}, "", "data-not-an-empty-array"),
        ("GET", None, "x=1", "data-query-unknown"),
        ("GET", None, "limit=0", "data-query-number"),
        ("PATCH", None, "", "data-method-not-allowed"),
    ],
)
def test_an_error_links_to_its_help_only_in_the_header(method, body, query, slug):
    data_set = make_data_set()

    answer = call(method, data_set, make_token(data_set), body, query=query)

    assert answer.headers["Link"] == f'<http://127.0.0.1:8000/docs/#errors-{slug}>; rel="help"'
    assert answer.json().keys() <= {"status", "message", "errors", "error_count"}


@pytest.mark.django_db
def test_a_missing_token_and_an_unknown_data_set_have_help():
    data_set = make_data_set()

    assert "#errors-data-token-not-valid>" in call("POST", data_set, "ds_wrong", []).headers["Link"]
    assert "#errors-data-token-missing>" in call("POST", data_set, "", []).headers["Link"]


@pytest.mark.django_db
def test_callers_that_ask_for_help_get_it_in_the_body():
    data_set = make_data_set()

    answer = call("POST", data_set, make_token(data_set), [], Accept="application/vnd.signalbox+json, */*;q=0.1")

    assert answer.json() == {
        "status": "error",
        "message": NoRecords.text,
        "fix": NoRecords.fix,
        "docs": "http://127.0.0.1:8000/docs/#errors-data-no-records",
    }
