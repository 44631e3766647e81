"""Metrics are right with several processes, and their labels name nobody.

Source: docs/reference/running.md §13.
"""

import re
import time
import uuid
from typing import Any

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from config.metrics import registry
from config.metrics.models import MetricValue
from config.queue import presence
from config.version import VERSION
from tests.notifications.provisioned import ADDRESS, NUMBER, Provisioned
from tests.servers import processes, wait_until

TOKEN = "a-token-for-monitors"


def scrape(service, **headers: str) -> requests.Response:
    return requests.get(f"{service.url}/metrics", headers=headers, timeout=20)


def value(service, name: str, **labels: str) -> float:
    """Return the sum of all samples of this name whose labels include these."""
    families = text_string_to_metric_families(scrape(service).text)
    found = [sample for family in families for sample in family.samples if sample.name == name]
    return sum(sample.value for sample in found if labels.items() <= sample.labels.items())


@pytest.fixture(scope="module")
def counting(start_service):
    """A service with two web processes and a worker."""
    service = start_service(WEB_CONCURRENCY="2")
    wait_until(lambda: len(processes(service.web.pid)) == 1 + 2)
    service.start_worker()
    return service


@pytest.fixture(scope="module")
def sender(counting) -> Provisioned:
    document: dict[str, Any] = {
        "name": f"Counted {uuid.uuid4().hex[:8]}",
        "live": True,
        "reply_to_addresses": [{"email_address": "reply@example.com"}],
        "sms_senders": [{"sender": "COUNT", "default": True}],
        "daily_limits": {"sms": 3},
        "templates": [{"type": "sms", "name": "text", "content": "Hello"}],
        "api_keys": [{"name": "k", "type": "live"}],
    }
    return Provisioned(counting, document)


def test_requests_are_counted_over_all_web_processes(counting):
    # Not /_status, because its requests at the start may be counted only now.
    before = value(counting, "signalbox_request_seconds_count", route="/_status/ready", status="200")

    for _ in range(40):
        requests.get(f"{counting.url}/_status/ready", timeout=60)  # each on its own connection, to either process

    wait_until(
        lambda: value(counting, "signalbox_request_seconds_count", route="/_status/ready", status="200") == before + 40
    )
    least = value(counting, "signalbox_request_seconds_bucket", route="/_status/ready", status="200", le="+Inf")
    assert least == before + 40


def test_messages_attempts_and_requests_over_a_limit_are_counted(counting, sender):
    statuses = [sender.send_sms(key_type="live").status_code for _ in range(5)]

    assert statuses == [201, 201, 201, 429, 429]
    labels = {"channel": "sms", "key_type": "live"}
    wait_until(lambda: value(counting, "signalbox_messages_total", status="created", **labels) == 3)
    wait_until(lambda: value(counting, "signalbox_attempt_seconds_count", provider="sandbox", outcome="accepted") == 3)
    wait_until(lambda: value(counting, "signalbox_limited_requests_total", limit="sms a day") == 2)
    wait_until(lambda: value(counting, "signalbox_waiting", queue="send-sms") == 0)
    later = ("sending", "delivered")
    wait_until(lambda: sum(value(counting, "signalbox_messages_total", status=one, **labels) for one in later) >= 3)


def test_no_label_names_a_recipient_a_service_or_a_key(counting, sender):
    sender.send_sms(key_type="live")
    requests.get(f"{counting.url}/{sender.id}/{NUMBER}/{ADDRESS}", timeout=60)

    text = scrape(counting).text

    for name in (sender.row["name"], sender.id, NUMBER, ADDRESS, sender.keys["live"][-36:]):
        assert name not in text
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", text)


def test_every_kind_of_metric_exists(counting):
    families = {family.name for family in text_string_to_metric_families(scrape(counting).text)}

    assert families >= {
        "signalbox_request_seconds",
        "signalbox_messages",
        "signalbox_attempt_seconds",
        "signalbox_waiting",
        "signalbox_oldest_waiting_seconds",
        "signalbox_limited_requests",
        "signalbox_refusals",  # its former name
        "signalbox_records",
        "signalbox_removed",
        "signalbox_clean_up_last_success_timestamp_seconds",
        "signalbox_callback_attempts",
    }
    for queue in ("send-sms", "send-email", "receipts", "callbacks"):
        assert f'signalbox_waiting{{queue="{queue}"}}' in scrape(counting).text


def test_the_worker_processes_of_each_queue_are_counted(counting):
    def numbers() -> list[float]:
        return [
            value(counting, "signalbox_worker_processes", queue=queue) for queue in ("send-sms", "periodic", "upkeep")
        ]

    wait_until(lambda: numbers() == [1, 1, 1])
    assert value(counting, "signalbox_build_info", version=VERSION) == 1


def test_the_last_tick_of_a_clock_is_shown(client, db):
    presence.take("clock", "test", seconds=20)

    text = client.get("/metrics", SERVER_NAME="127.0.0.1").content.decode()
    (tick,) = re.findall(r"^signalbox_clock_last_tick_timestamp_seconds (\S+)", text, re.MULTILINE)

    assert abs(time.time() - float(tick)) < 60


def test_without_a_token_only_this_machine_may_read(counting):
    assert scrape(counting).status_code == 200
    assert scrape(counting, **{"X-Forwarded-For": "127.0.0.1"}).status_code == 401
    refused = requests.post(f"{counting.url}/metrics", timeout=60)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")


def test_with_a_token_set_only_its_holder_may_read(client, settings, db):
    settings.METRICS_TOKEN = TOKEN

    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 403
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")


def test_several_flushes_are_added_up(db):
    own = registry.Counter(name=f"test_{uuid.uuid4().hex}", help="For this test", labels=("a",))

    for number in (1, 2.5):
        own.add("x", number=number)
        registry.flush()

    assert MetricValue.objects.get(name=own.name).value == 3.5
