"""Log lines: one line for an event, at most 8 KB, with ids and without text from callers.

Source: docs/reference/security.md §7.
"""

import json
import logging
import re

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from config import logs

SECRETS = "Zq7-nothing-of-this-may-be-logged"


def render(log_format: str, **event: object) -> str:
    """Process an event like a call of `log.info`."""
    line: object = {"event": "something.happened", "level": "info", **event}
    for step in logs._finish(log_format):
        line = step(None, "info", line)
    return str(line)


@given(st.text())
def test_a_value_never_starts_a_line_of_its_own(value):
    line = render("json", value=value)

    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["value"] in {value, value[: logs.MAX_VALUE_CHARACTERS] + "…"}


@given(st.text())
def test_a_value_never_starts_a_line_in_text_format(value):
    line = render("text", value=value)

    assert len(line.splitlines()) == 1
    assert "\x1b" not in line


def test_a_line_has_at_most_8_kb_and_keeps_its_ids():
    many = {f"field_{number}": "é" * 900 for number in range(30)}

    line = render("json", request_id="an-id", **many)

    assert len(line) < logs.MAX_LINE_BYTES
    assert json.loads(line)["request_id"] == "an-id"


def test_an_exception_is_logged_with_type_and_trace_without_its_message():
    try:
        int(SECRETS)
    except ValueError as error:
        line = render("json", exc_info=error)

    shown = json.loads(line)
    assert shown["error"] == "ValueError"
    assert re.fullmatch(r"tests/config/test_logs\.py:\d+ test_an_exception_\w+", shown["trace"][-1])
    assert SECRETS not in line


def test_records_of_libraries_have_the_same_format():
    record = logging.LogRecord("kombu", logging.WARNING, "", 0, "Connection to %s lost\nagain", ("redis",), None)

    shown = json.loads(logs.Formatter("json").format(record))

    assert shown["event"] == "Connection to redis lost\nagain"
    assert (shown["level"], shown["logger"]) == ("warning", "kombu")


@pytest.mark.parametrize(
    "message",
    [
        f"Invalid request from ip=127.0.0.1: Invalid request line: 'GET /{SECRETS}'",
        f"Error handling request /{SECRETS}",
    ],
)
def test_the_web_server_does_not_quote_a_request(message):
    record = logging.LogRecord("gunicorn.error", logging.WARNING, "", 0, message, (), None)

    assert SECRETS not in logs.Formatter("json").format(record)


def lines_of(service) -> list[dict[str, object]]:
    text = service.web.log.read_text()
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def line_of(service, answer: requests.Response) -> dict[str, object]:
    identifier = answer.headers["X-Request-Id"]
    (line,) = [
        line for line in lines_of(service) if line.get("request_id") == identifier and line["event"] == "request"
    ]
    return line


def test_a_request_has_one_line_that_names_the_route(service):
    answer = requests.get(f"{service.url}/_status", headers={"User-Agent": "a-client/1.0"}, timeout=60)

    line = line_of(service, answer)
    assert line["ts"].endswith("Z")
    assert isinstance(line["ms"], float)
    expected = {"level": "debug", "area": "pages", "method": "GET", "route": "/_status", "status": 200, "bytes_in": 0}
    assert expected.items() <= line.items()
    assert line["client"] == "a-client/1.0"


@pytest.mark.parametrize(("path", "area"), [("/v2", "notifications"), ("/data", "datasets"), ("/admin", "pages")])
def test_a_line_has_nothing_that_the_caller_sent(service, path, area):
    answer = requests.post(
        f"{service.url}{path}/{SECRETS}?token={SECRETS}",
        data=json.dumps({"email_address": SECRETS}),
        headers={"Authorization": f"Bearer {SECRETS}", "Cookie": f"sessionid={SECRETS}", "Referer": f"/{SECRETS}"},
        timeout=60,
    )

    assert line_of(service, answer)["area"] == area
    assert SECRETS not in service.web.log.read_text()


def test_a_long_user_agent_is_cut(service):
    agent = "a-client/1.0 " + "x" * 5000
    answer = requests.get(f"{service.url}/", headers={"User-Agent": agent}, timeout=60)

    assert line_of(service, answer)["client"] == agent[:80]


def test_an_unknown_method_is_not_repeated(service):
    answer = requests.request("SECRETWORD", f"{service.url}/v2/nothing", timeout=60)

    assert line_of(service, answer)["method"] == "other"


@pytest.mark.fault("H8")
def test_a_failure_is_logged_once_and_not_shown_to_the_caller(start_service):
    service = start_service()
    assert service.manage("migrate", "sessions", "zero").returncode == 0

    answer = requests.get(f"{service.url}/admin/?q={SECRETS}", cookies={"sessionid": "x" * 32}, timeout=60)

    failures = [line for line in lines_of(service) if line["event"] == "request.failed"]
    assert answer.status_code == 500
    assert "no such table" not in answer.text
    assert "does not exist" not in answer.text
    assert [line["request_id"] for line in failures] == [answer.headers["X-Request-Id"]]
    assert failures[0]["error"] in {"OperationalError", "ProgrammingError"}
    assert failures[0]["trace"]
    assert SECRETS not in service.web.log.read_text()
