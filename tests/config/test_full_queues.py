"""While no worker runs, a queue keeps a limited number of wake-ups. The sweep finds the rows of the others."""

from pathlib import Path

import pytest
from kombu import Connection

from config.queue import publishing, redis_queue
from config.queue.redis_client import impatient
from notifications import tasks
from notifications.delivery.claiming import claim_due
from notifications.models import Channel, Notification, Status
from tests.factories import make_notification, make_service, make_template
from tests.servers import PrivateRedis


def put(server: PrivateRedis, number: int) -> list[bytes]:
    for place in range(number):
        redis_queue.put(
            impatient(server.url, 5), "send-sms", prefix="own:", body=[place], headers={}, properties={"n": place}
        )
    with server.client() as client:
        return client.lrange("own:send-sms", 0, -1)


def test_redis_keeps_a_limited_number_of_wake_ups_the_oldest_ones(redis_server, settings) -> None:
    settings.WAKE_UPS_KEPT = 100

    kept = put(redis_server, 1_000)

    assert 90 <= len(kept) <= 100
    assert b'"n":0' in kept[-1]


def test_a_queue_below_the_limit_loses_nothing_and_needs_one_command(redis_server, settings) -> None:
    settings.WAKE_UPS_KEPT = 100
    with redis_server.client() as client:
        client.config_resetstat()
        kept = put(redis_server, 100)
        commands = client.info("commandstats")

    assert len(kept) == 100
    assert commands["cmdstat_lpush"]["calls"] == 100
    assert "cmdstat_ltrim" not in commands


def test_the_file_queue_keeps_a_limited_number_of_wake_ups(tmp_path: Path, settings) -> None:
    settings.WAKE_UPS_KEPT = 20
    folders = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path)}
    with Connection(
        "filesystem://localhost", transport="config.queue.file_queue:Transport", transport_options=folders
    ) as connection:
        queue = connection.SimpleQueue("send-sms")
        for place in range(50):
            queue.put({"place": place})
        taken = [queue.get(timeout=5).payload["place"] for _ in range(20)]

    assert taken == list(range(20))


@pytest.mark.django_db
def test_messages_without_a_wake_up_are_all_found_by_the_sweep_and_its_worker() -> None:
    publishing.delete_all("send-sms")  # of earlier tests
    template = make_template(make_service(), type="sms")
    for _ in range(60):
        make_notification(template, channel="sms", status=Status.CREATED)

    found = tasks.wake_for_due()
    claimed = 0
    while some := claim_due(Channel.SMS, 25):  # what a woken worker does until nothing is due
        claimed += len(some)

    assert 0 < found <= 20
    assert claimed == Notification.objects.count() == 60
