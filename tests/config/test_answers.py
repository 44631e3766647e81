"""Answers outside the views, and the headers of all answers. Source: docs/reference/security.md §4, §8."""

import json
import re

import pytest
import requests

API_POLICY = "default-src 'none'; frame-ancestors 'none'"


def get(service, path: str, method: str = "GET", **options) -> requests.Response:
    return requests.request(method, f"{service.url}{path}", timeout=60, allow_redirects=False, **options)


@pytest.mark.parametrize("path", ["/v2", "/v2/nothing", "//v2/nothing", "/v2/a/b/c/d", "/providers/x/y/z"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_path_of_the_sending_api_has_its_envelope(service, path, method):
    answer = get(service, path, method)

    assert answer.status_code == 404
    assert answer.json() == {
        "status_code": 404,
        "errors": [{"error": "NotFound", "message": "The requested URL was not found on the server"}],
    }


@pytest.mark.parametrize("path", ["/data", "/data/", "/data/one", "/data/one/two/three"])
def test_an_unknown_path_of_the_data_sets_has_theirs(service, path):
    answer = get(service, path)

    assert answer.status_code == 404
    assert answer.json() == {"status": "error", "message": "There is nothing at this address."}


@pytest.mark.parametrize("path", ["/v2/nothing", "/data/nothing", "/data/a/b", "/providers/x/receipt"])
def test_every_error_of_the_apis_is_compact_and_links_to_its_help(service, path):
    answer = get(service, path)

    assert re.fullmatch(rf'<{service.url}/docs/#errors-[a-z0-9-]+>; rel="help"', answer.headers["Link"])
    assert answer.text == json.dumps(answer.json(), separators=(",", ":"))
    assert "Allow" not in answer.headers or path == "/data/a/b"


@pytest.mark.parametrize("path", ["/v2/", "/data/"])
def test_a_request_line_that_is_too_long_gets_the_error_of_the_sending_api(service, path):
    answer = get(service, f"{path}{'a' * 9000}")

    assert (answer.status_code, set(answer.json())) == (414, {"status_code", "errors"})
    assert answer.headers["Link"] == f'<{service.url}/docs/#errors-request-not-understood>; rel="help"'


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/plain;q=0.5", "application/*"])
@pytest.mark.parametrize("path", ["/nothing-here", "/docs/nothing", "/_nothing"])
def test_an_unknown_path_is_json_if_the_caller_prefers_it(service, path, accept):
    answer = get(service, path, headers={"Accept": accept})

    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/json")
    assert answer.json() == {"status": "error", "message": "There is nothing at this address."}


def test_every_other_unknown_path_is_a_page(service):
    answer = get(service, "/nothing-here")

    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "There is nothing at this address." in answer.text


@pytest.mark.parametrize("path", ["/", "/nothing-here", "/admin/login/", "/_status", "/v2/nothing", "/data/nothing"])
def test_every_answer_has_a_new_request_id_and_is_not_sniffed(service, path):
    answer = get(service, path, headers={"X-Request-Id": "from-the-caller"})

    assert len(answer.headers["X-Request-Id"]) == 36
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("path", ["/v2/nothing", "/data/nothing", "/_status"])
def test_an_api_answer_forbids_loading_anything(service, path):
    assert get(service, path).headers["Content-Security-Policy"] == API_POLICY


@pytest.mark.parametrize(
    ("path", "referrers"),
    [("/", "same-origin"), ("/nothing-here", "same-origin"), ("/admin/login/", "strict-origin")],  # `next` is private
)
def test_a_page_may_load_only_from_this_host_and_not_be_framed(service, path, referrers):
    headers = get(service, path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))

    assert policy["default-src"] == policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert "'unsafe-inline'" not in policy["script-src"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == referrers
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]


def test_only_the_theme_may_use_eval_and_inline_styles(service):
    front, console = (get(service, path).headers["Content-Security-Policy"] for path in ("/", "/admin/login/"))

    assert "'unsafe" not in front
    assert "script-src 'self' 'unsafe-eval'" in console


def test_the_front_page_only_has_links_to_existing_pages(service):
    page = get(service, "/").text
    addresses = [part.partition('"')[0] for part in page.split('<a href="')[1:]]

    assert "/admin/" in addresses
    assert all(get(service, address).status_code in {200, 302, 403} for address in addresses)


def test_the_stylesheet_of_the_pages_exists(service):
    answer = get(service, "/static/config/pages.css")

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, 'text/css; charset="utf-8"')
