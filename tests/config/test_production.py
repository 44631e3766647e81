"""Production: what it refuses to start with, and what it refuses to answer over plain http."""

import sys

import pytest
import requests
from cryptography.fernet import Fernet

from tests.config.test_house import PRODUCTION, run
from tests.servers import free_port

UNSAFE = {
    "a field key that is none": ({"FIELD_KEYS": "short"}, "E001"),
    "the sandbox": ({"PROVIDERS": "sandbox"}, "E002"),
    "a plain address": ({"BASE_URL": "http://signalbox.example.gov.uk"}, "E003"),
    "a plain address of files": ({"FILES_BASE_URL": "http://files.example.gov.uk"}, "E004"),
    "no domain for emails": ({"EMAIL_DOMAIN": ""}, "E005"),
    "callbacks into our own network": ({"OUTBOUND_ALLOWED_NETWORKS": "10.0.0.0/8"}, "E006"),
    "an open sandbox inbox": ({"SANDBOX_INBOX": "on"}, "E007"),
    "nobody to scan files": ({"SCANNER": "none"}, "E008"),
    "a console a password alone opens": ({"REQUIRE_SECOND_FACTOR": "off"}, "E009"),
}
# A command and a web process in one interpreter, one after the other: importing is nearly all that a start takes.
BOTH_START = """
import sys
from importlib import import_module
from django.core.management import execute_from_command_line

for start in (lambda: execute_from_command_line(["manage.py", "check"]), lambda: import_module("config.wsgi")):
    try:
        start()
    except SystemExit as end:
        print("refused", end.code, file=sys.stderr)
    print("---", file=sys.stderr)
"""


@pytest.mark.parametrize(("change", "number"), UNSAFE.values(), ids=UNSAFE)
def test_no_process_starts_with(change, number):
    production = {**PRODUCTION, "FIELD_KEYS": Fernet.generate_key().decode(), **change}

    done = run(sys.executable, "-c", BOTH_START, DJANGO_SETTINGS_MODULE="config.settings", **production)
    command, web, after = done.stderr.split("---\n")

    assert command.endswith("refused 1\n")
    assert f"signalbox.{number}" in command
    assert f"refused signalbox.{number}" in web
    assert (done.returncode, after) == (0, "")


@pytest.mark.parametrize("name", ["SECRET_KEY", "FIELD_KEYS"])
def test_no_process_starts_without_the_secret(name, monkeypatch):
    monkeypatch.delenv(name)
    production = {key: value for key, value in PRODUCTION.items() if key != name}

    command = run(sys.executable, "manage.py", "check", **production)

    assert command.returncode == 1
    assert f'"{name}" not set' in command.stderr


@pytest.fixture(scope="module")
def production(start_service):
    return start_service(**PRODUCTION, ALLOWED_HOSTS="127.0.0.1", TRUSTED_PROXIES="1")


def get(production, path: str, method: str = "GET", scheme: str = "http") -> requests.Response:
    # What a proxy that ends TLS says of the scheme.
    headers = {"X-Forwarded-Proto": scheme, "Authorization": "Bearer anything"}
    return requests.request(method, f"{production.url}{path}", headers=headers, timeout=60, allow_redirects=False)


@pytest.mark.parametrize("path", ["/v2/notifications/sms", "//v2/notifications", "/v2/nothing", "/providers/x/receipt"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_sending_api_refuses_plain_http(production, path, method):
    answer = get(production, path, method)

    assert answer.status_code == 403
    assert answer.json() == {"status_code": 403, "errors": [{"error": "AuthError", "message": "Error: use https"}]}


@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_the_data_sets_refuse_plain_http(production, method):
    answer = get(production, "/data/pay/volumes", method)

    assert (answer.status_code, answer.json()) == (403, {"status": "error", "message": "Use https."})


def test_pages_are_redirected_to_https_and_health_is_not(production):
    page, health = get(production, "/admin/login/"), get(production, "/_status")

    assert (page.status_code, page.headers["Location"]) == (301, f"https://127.0.0.1:{production.port}/admin/login/")
    assert health.status_code == 200


def test_over_https_everything_is_answered_with_strict_transport_security(production):
    page, api = get(production, "/admin/login/", scheme="https"), get(production, "/v2/nothing", scheme="https")

    assert (page.status_code, api.status_code) == (200, 404)
    for answer in (page, api):
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert "__Host-csrf" in page.cookies


def test_without_a_trusted_proxy_nobody_may_say_https(start_service):
    service = start_service(**PRODUCTION, ALLOWED_HOSTS="127.0.0.1", REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")

    assert get(service, "/v2/nothing", scheme="https").status_code == 403


def test_a_foreign_host_name_is_refused(production):
    answer = requests.get(
        f"{production.url}/v2/nothing", headers={"Host": "evil.example", "X-Forwarded-Proto": "https"}, timeout=60
    )

    assert answer.status_code in {400, 404}
    assert "evil.example" not in answer.text
