"""Commands as an operator runs them, beside a running service."""

import copy
import json
import subprocess
import sys
import uuid

import pytest
from django.core.management import CommandError
from notifications_python_client.notifications import NotificationsAPIClient

from notifications.management import demo_document
from notifications.management.tries import try_email, try_sms
from tests.servers import ROOT, wait_until


@pytest.fixture(scope="module")
def variables(service) -> dict[str, str]:
    """Return the content of `.demo.env` for the demo services, provisioned from a file."""
    document = copy.deepcopy(demo_document.DOCUMENT)
    key = next(key for key in document[0]["api_keys"] if key["name"] == demo_document.TEST_KEY)
    key["name"] = f"try_{uuid.uuid4().hex}"  # the service may have the demo's own key from other tests
    key["secret"] = str(uuid.uuid4())
    done = service.manage("provision", "-", input=json.dumps({"services": document}))
    assert done.returncode == 0, done.stderr
    keys = json.loads(done.stdout)["services"][0]["api_keys"]
    return {
        "NOTIFY_API_KEY": next(made["api_key"] for made in keys if made["name"] == key["name"]),
        "EMAIL_TEMPLATE": demo_document.EMAIL_TEMPLATE,
        "SMS_TEMPLATE": demo_document.SMS_TEMPLATE,
    }


@pytest.mark.parametrize("attempt", [try_email, try_sms])
def test_a_try_sends_one_message_that_is_delivered(service, worker, variables, attempt):
    line = attempt(service.url, variables)

    assert line.endswith(f"See it at {service.url}/sandbox/")
    identifier = next(word.rstrip(".") for word in line.split() if word.count("-") == 4)
    client = NotificationsAPIClient(variables["NOTIFY_API_KEY"], base_url=service.url)
    wait_until(lambda: client.get_notification_by_id(identifier)["status"] == "delivered")


def test_a_failed_try_shows_the_error_of_the_service(service, variables):
    stranger = variables | {"NOTIFY_API_KEY": f"demo_test-{demo_document.PARKS}-{uuid.uuid4()}"}

    with pytest.raises(CommandError, match="403: Invalid token: API key not found"):
        try_email(service.url, stranger)


def test_a_try_without_a_service_says_how_to_start_one(variables):
    with pytest.raises(CommandError, match="make run"):
        try_email("http://127.0.0.1:1", variables)


def test_a_document_with_errors_stores_nothing_and_names_each(service):
    document = {"services": [{"name": "Half", "retention_days": 1}, {"name": 7}], "colour": 1}

    done = service.manage("provision", "-", input=json.dumps(document))

    assert done.returncode == 1
    assert done.stdout == ""
    assert sorted(done.stderr.splitlines()) == [
        "colour: is not a known key",
        "services[0].retention_days: Messages can be kept for 3 to 90 days.",
        "services[1].name: must be a string",
    ]


def test_an_invalid_provider_stops_the_start_with_the_settings_name(service):
    done = subprocess.run(
        [sys.executable, "manage.py", "worker"],
        cwd=ROOT,
        env=service.environment | {"PROVIDERS": "mail=pigeon://loft.example.org"},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode != 0
    assert "PROVIDERS: mail must be a URL that starts with" in done.stderr
