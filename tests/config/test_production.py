"""Production does not start with unsafe values, and rejects API calls over plain http."""

import os
import re
from pathlib import Path

import pytest
import requests

from tests import forks
from tests.config.test_house import PRODUCTION
from tests.servers import free_port

UNSAFE = {
    "SECRET_KEY": ["short", "aaaabbbbcc" * 6, ""],
    "SECRET_KEY_FALLBACKS": ["a-former-key-that-is-far-too-short"],
    "ALLOWED_HOSTS": ["*", "signalbox.example.gov.uk,*"],
    "DATABASE_URL": [""],
    "REDIS_URL": [""],
    "METRICS_TOKEN": ["a", "nineteen-characters"],
    "SANDBOX_TOKEN": ["short"],
    "FIELD_KEYS": ["short"],
    "PROVIDERS": ["sandbox", "smtp-1=smtp://mail.example.gov.uk,sandbox=sandbox"],
    "BASE_URL": ["http://signalbox.example.gov.uk"],
    "FILES_BASE_URL": ["http://files.example.gov.uk"],
    "DATA_BASE_URL": ["http://data.example.gov.uk"],
    "EMAIL_DOMAIN": ["signalbox.invalid"],
    "OUTBOUND_ALLOWED_NETWORKS": ["10.0.0.0/8"],
    "SANDBOX_INBOX": ["on"],
    "SCANNER": ["none"],
    "REQUIRE_SECOND_FACTOR": ["off"],
}
STORES = {"ALLOW_EMBEDDED": "off", "DATABASE_URL": "postgres://127.0.0.1/x", "REDIS_URL": "redis://127.0.0.1/0"}


def refusal(folder: Path, environment: dict[str, str], *command: str) -> list[str]:
    """Start a process and return its last lines."""
    program = forks.start(*command, log=folder / "start.log", environment={**os.environ, **environment})
    assert program.process.wait(100) != 0
    return program.log.read_text().splitlines()


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in UNSAFE.items() for value in values], ids=str
)
def test_no_process_starts_with_an_unsafe_value_and_one_line_names_it(name, value, tmp_path):
    environment = {**PRODUCTION, **STORES, "VAR_DIR": str(tmp_path / "var"), name: value}

    lines = refusal(tmp_path, environment, "manage.py", "check")

    assert len(lines) == 1
    assert re.match(rf"{name}\b", lines[0])
    assert "nineteen" not in lines[0]


@pytest.mark.parametrize(
    ("name", "value"), [("SECRET_KEY", "short"), ("PROVIDERS", "x=y"), ("DEFAULT_SMS_SENDER", "00x")], ids=str
)
def test_the_web_server_stops_at_a_wrong_value_without_a_retry(name, value, tmp_path):
    environment = {**PRODUCTION, "VAR_DIR": str(tmp_path / "var"), name: value}
    gunicorn = ("-m", "gunicorn", "-c", "config/web/gunicorn.py", "--bind", f"127.0.0.1:{free_port()}", "config.wsgi")

    lines = refusal(tmp_path, environment, *gunicorn)

    assert [line for line in lines if line.startswith(name)] != []
    assert not any("Traceback" in line for line in lines)


@pytest.mark.parametrize("name", ["SECRET_KEY", "FIELD_KEYS"])
def test_no_process_starts_without_the_secret(name, tmp_path, monkeypatch):
    monkeypatch.delenv(name)
    production = {key: value for key, value in PRODUCTION.items() if key != name}

    (line,) = refusal(tmp_path, {**production, "VAR_DIR": str(tmp_path / "var")}, "manage.py", "check")

    assert f'"{name}" not set' in line


def test_the_host_of_files_is_allowed_in_addition_to_allowed_hosts(start_service):
    service = start_service(
        **PRODUCTION, ALLOWED_HOSTS="127.0.0.1", TRUSTED_PROXIES="1", FILES_BASE_URL="https://files.example.gov.uk"
    )

    page = requests.get(
        f"{service.url}/d/nothing",
        headers={"Host": "files.example.gov.uk", "X-Forwarded-Proto": "https"},
        timeout=60,
    )

    assert page.status_code == 404


def test_missing_trusted_proxies_are_a_deployment_warning(tmp_path):
    environment = {**PRODUCTION, "VAR_DIR": str(tmp_path / "var"), "TRUSTED_PROXIES": "0"}

    lines = refusal(tmp_path, environment, "manage.py", "check", "--deploy", "--fail-level", "WARNING")

    assert [line for line in lines if "TRUSTED_PROXIES is 0" in line] != []


@pytest.fixture(scope="module")
def production(start_service):
    return start_service(**PRODUCTION, ALLOWED_HOSTS="127.0.0.1", TRUSTED_PROXIES="1")


def get(production, path: str, method: str = "GET", scheme: str = "http") -> requests.Response:
    # as sent by a proxy that ends TLS
    headers = {"X-Forwarded-Proto": scheme, "Authorization": "Bearer anything"}
    return requests.request(method, f"{production.url}{path}", headers=headers, timeout=60, allow_redirects=False)


@pytest.mark.parametrize("path", ["/v2/notifications/sms", "//v2/notifications", "/v2/nothing", "/providers/x/receipt"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_sending_api_rejects_plain_http(production, path, method):
    answer = get(production, path, method)

    assert answer.status_code == 403
    assert answer.json() == {"status_code": 403, "errors": [{"error": "AuthError", "message": "Error: use https"}]}


@pytest.mark.parametrize("path", ["/metrics", "/_status/deep"])
def test_the_metrics_token_is_not_accepted_over_plain_http(production, path):
    plain, encrypted = get(production, path), get(production, path, scheme="https")

    assert (plain.status_code, plain.json()) == (403, {"status": "error", "message": "Use https."})
    assert encrypted.json()["message"] == "The token is not valid."


@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_the_data_set_api_rejects_plain_http(production, method):
    answer = get(production, "/data/pay/volumes", method)

    assert (answer.status_code, answer.json()) == (403, {"status": "error", "message": "Use https."})


def test_pages_are_redirected_to_https_and_health_is_not(production):
    page, health = get(production, "/admin/login/"), get(production, "/_status")

    assert (page.status_code, page.headers["Location"]) == (301, f"https://127.0.0.1:{production.port}/admin/login/")
    assert health.status_code == 200


def test_every_answer_over_https_has_strict_transport_security(production):
    page, api = get(production, "/admin/login/", scheme="https"), get(production, "/v2/nothing", scheme="https")

    assert (page.status_code, api.status_code) == (200, 404)
    for answer in (page, api):
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert "__Host-csrf" in page.cookies


def test_without_a_trusted_proxy_the_scheme_header_is_ignored(start_service):
    service = start_service(**PRODUCTION, ALLOWED_HOSTS="127.0.0.1", REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")

    assert get(service, "/v2/nothing", scheme="https").status_code == 403


def test_an_unknown_host_name_is_rejected(production):
    answer = requests.get(
        f"{production.url}/v2/nothing", headers={"Host": "evil.example", "X-Forwarded-Proto": "https"}, timeout=60
    )

    assert answer.status_code in {400, 404}
    assert "evil.example" not in answer.text


def test_an_unknown_host_name_of_the_console_logs_no_error(production):
    answer = requests.get(
        f"{production.url}/admin/login/", headers={"Host": "evil.example", "X-Forwarded-Proto": "https"}, timeout=60
    )

    assert answer.status_code == 400
    assert "evil.example" not in answer.text
    assert "request.error_page_failed" not in production.web.log.read_text()


def test_no_answer_names_the_web_server(production):
    for answer in (get(production, "/_status"), get(production, "/v2/nothing", scheme="https")):
        assert "gunicorn" not in str(answer.headers)


def test_a_read_only_file_system_suffices_when_all_state_is_elsewhere(tmp_path):
    unusable = {**PRODUCTION, **STORES, "VAR_DIR": "/proc/signalbox"}

    refused = refusal(tmp_path, unusable, "manage.py", "check")
    done = forks.start(
        "manage.py",
        "check",
        log=tmp_path / "check.log",
        environment={**os.environ, **unusable, "FILES_STORAGE": "s3", "FILES_S3_BUCKET": "files"},
    )

    assert "/proc/signalbox" in refused[-1]
    assert done.process.wait(100) == 0
