"""The health and readiness pages. Source: docs/reference/running.md §13; docs/reference/data-sets.md §18."""

import pytest
import requests

from tests.servers import free_port, wait_until


def get(service, path: str, method: str = "GET") -> requests.Response:
    return requests.request(method, f"{service.url}{path}", timeout=60, allow_redirects=False)


@pytest.mark.parametrize("path", ["/_status", "/_status/"])
def test_the_status_page_answers_if_the_process_runs(service, path):
    answer = get(service, path)

    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "message": "app is up"})
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_service_with_database_migrations_and_queue_is_ready(service):
    answer = get(service, "/_status/ready")

    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/_status", "/_status/ready", "/_status/serving"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_the_health_pages_only_accept_reading_methods(service, path, method):
    answer = get(service, path, method)

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert answer.json()["status"] == "error"


def test_a_process_serves_although_its_queue_is_away_but_not_without_migrations(start_service):
    service = start_service(REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert service.manage("migrate", "config", "zero").returncode == 0
    unmigrated = get(service, "/_status/serving")
    assert service.manage("migrate").returncode == 0
    migrated = get(service, "/_status/serving")

    assert (unmigrated.status_code, unmigrated.json()["message"]) == (503, "not serving: migrations are missing")
    assert unmigrated.headers["Cache-Control"] == "no-store"
    assert (migrated.status_code, migrated.json()) == (200, {"status": "ok", "message": "app is serving"})


def test_a_server_that_was_asked_to_stop_drains_and_closes_connections(start_service):
    service = start_service(DRAIN_SECONDS="2")
    with requests.Session() as caller:
        before = caller.get(f"{service.url}/_status")
        service.web.ask_to_stop()
        wait_until(lambda: get(service, "/_status/serving").status_code == 503)
        draining = caller.get(f"{service.url}/_status")

    assert get(service, "/_status/serving").json()["message"] == "not serving: the process stops"
    assert "close" not in before.headers.get("Connection", "")
    assert (draining.status_code, draining.headers["Connection"]) == (200, "close")
    assert service.web.process.wait(60) == 0


def test_other_paths_below_the_status_do_not_exist(service):
    answer = get(service, "/_status/nothing")

    assert (answer.status_code, answer.json()["message"]) == (404, "There is nothing at this address.")


def test_an_unavailable_queue_and_missing_migrations_are_named(start_service):
    service = start_service(REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")

    without_queue = get(service, "/_status/ready")
    assert service.manage("migrate", "config", "zero").returncode == 0
    without_both = get(service, "/_status/ready")

    assert (without_queue.status_code, without_queue.json()["failed"]) == (503, ["queue"])
    assert without_queue.headers["Cache-Control"] == "no-store"
    assert (without_both.status_code, without_both.json()["failed"]) == (503, ["migrations", "queue"])
