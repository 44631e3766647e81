"""The deep check and its permissions. Source: docs/reference/running.md §13."""

from collections.abc import Callable

import pytest
import requests
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client

from config.version import VERSION
from tests.servers import wait_until

TOKEN = "a-token-for-monitors"


def look(service, **headers: str) -> requests.Response:
    return requests.get(f"{service.url}/_status/deep", headers=headers, timeout=20)


def fixes(answer: requests.Response | HttpResponse) -> dict[str, str]:
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


@pytest.fixture
def guarded(client: Client, db: None, settings: LazySettings) -> Callable[..., HttpResponse]:
    """Return a function that asks an installation with METRICS_TOKEN and an unavailable scanner."""
    settings.SCANNER, settings.METRICS_TOKEN = "clamd:tcp:127.0.0.1:1", TOKEN

    def ask(token: str | None = None) -> HttpResponse:
        return client.get("/_status/deep", headers={"Authorization": f"Bearer {token}"} if token else {})

    return ask


def test_each_failed_check_is_named_with_its_fix(guarded):
    answer = guarded(TOKEN)

    assert answer.status_code == 503
    assert answer.json()["status"] == "error"
    assert "scanner" in answer.json()["message"]
    assert fixes(answer)["worker"] == "Start manage.py worker."
    assert fixes(answer)["scanner"]
    assert not fixes(answer)["database"]


def test_with_a_token_set_only_its_holder_may_read(guarded):
    assert (guarded().status_code, guarded(TOKEN + "x").status_code) == (401, 403)
    assert guarded().headers["WWW-Authenticate"] == "Bearer"
    assert guarded(TOKEN).status_code == 503


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
