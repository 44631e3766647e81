"""The deep check and its permissions. Source: docs/reference/running.md §13."""

import pytest
import requests

from config.version import VERSION
from tests.servers import wait_until

TOKEN = "a-token-for-monitors"


def look(service, token: str | None = None, **headers: str) -> requests.Response:
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return requests.get(f"{service.url}/_status/deep", headers=headers, timeout=20)


def fixes(answer: requests.Response) -> dict[str, str]:
    return {finding["name"]: finding["fix"] for finding in answer.json()["findings"]}


def test_the_check_passes_when_everything_runs(start_service):
    service = start_service()
    service.start_worker()
    service.start("clock", "manage.py", "clock")

    wait_until(lambda: look(service).status_code == 200)

    answer = look(service)
    assert answer.json()["message"] == "all is well"
    assert answer.json()["version"] == VERSION
    assert {"database", "queue", "worker", "clock", "providers", "scanner"} <= fixes(answer).keys()
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.fixture(scope="module")
def guarded(start_service):
    """A service with METRICS_TOKEN and an unavailable scanner."""
    return start_service(SCANNER="clamd:tcp:127.0.0.1:1", METRICS_TOKEN=TOKEN)


def test_each_failed_check_is_named_with_its_fix(guarded):
    answer = look(guarded, TOKEN)

    assert answer.status_code == 503
    assert answer.json()["status"] == "error"
    assert "scanner" in answer.json()["message"]
    assert fixes(answer)["worker"] == "Start manage.py worker."
    assert fixes(answer)["scanner"]
    assert not fixes(answer)["database"]


def test_with_a_token_set_only_its_holder_may_read(guarded):
    assert (look(guarded).status_code, look(guarded, TOKEN + "x").status_code) == (401, 403)
    assert look(guarded).headers["WWW-Authenticate"] == "Bearer"
    assert look(guarded, TOKEN).status_code == 503


def test_behind_a_proxy_nobody_counts_as_local(service):
    answer = look(service, **{"X-Forwarded-For": "127.0.0.1"})

    assert answer.status_code == 401
    assert "findings" not in answer.json()


def test_staff_may_read_and_others_may_not(client, console):
    assert console.get("/_status/deep").json()["findings"]
    assert client.get("/_status/deep").status_code == 401


def test_the_check_only_accepts_reading_methods(service):
    answer = requests.post(f"{service.url}/_status/deep", timeout=60)

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
