"""A dead or hung broker never fails a request, and hardly delays one."""

import base64
import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests import forks

PUBLISH = """
import os, time
import django
django.setup()
from config.queue import publishing
from config.queue.app import app

@app.task
def look_again(row): pass

for line in open(os.environ["COMMANDS"]):
    started = time.monotonic()
    publishing.enqueue(look_again, "a-row")
    print(f"{time.monotonic() - started:.3f}", flush=True)
"""


class Publisher:
    """A process that publishes on command and prints how long that took."""

    def __init__(self, folder: Path, **environment: str) -> None:
        pipe = folder / "commands"
        os.mkfifo(pipe)
        given = {"DJANGO_SETTINGS_MODULE": "config.settings", "COMMANDS": str(pipe), **environment}
        self.program = forks.start("-c", PUBLISH, log=folder / "publisher.log", environment={**os.environ, **given})
        self._commands = pipe.open("w", buffering=1)
        self._times = 0

    def publish(self) -> float:
        self._commands.write("\n")
        self._times += 1
        self.program.wait_until(lambda: len(self._lines(r"\d+\.\d{3}")) == self._times)
        return float(self._lines(r"\d+\.\d{3}")[-1])

    @property
    def failures(self) -> int:
        return len(self._lines(".*queue.unreachable.*"))

    def stop(self) -> None:
        self.program.stop()
        self._commands.close()

    def _lines(self, form: str) -> list[str]:
        """Return the complete lines of this form in the log."""
        return re.findall(rf"^({form})\n", self.program.log.read_text(), re.MULTILINE)


@pytest.fixture
def publish_to(tmp_path):
    started = []

    def start(**environment: str) -> Publisher:
        started.append(Publisher(tmp_path, **environment))
        return started[-1]

    yield start
    for publisher in started:
        publisher.stop()


def test_a_message_reaches_redis(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)

    publisher.publish()

    assert redis_server.client().llen("periodic") == 1


BOTH_WAYS = """
import django
django.setup()
import structlog
from config.queue import publishing
from notifications import tasks

structlog.contextvars.bind_contextvars(request_id="a-request")
publishing.enqueue(tasks.drain, "sms", queue="send-sms")
tasks.drain.apply_async(("sms",), queue="send-sms")
"""


def test_the_message_equals_celerys(redis_server, tmp_path):
    forks.output_of(BOTH_WAYS, tmp_path, REDIS_URL=redis_server.url)

    celerys, ours = map(json.loads, redis_server.client().lrange("send-sms", 0, -1))  # the newest first

    for message in (celerys, ours):
        message["body"] = json.loads(base64.b64decode(message["body"]))
        headers, properties = message["headers"], message["properties"]
        assert headers.pop("id") == headers.pop("root_id") == properties.pop("correlation_id")
        for of_each_its_own in ("delivery_tag", "reply_to"):
            properties.pop(of_each_its_own)
    assert ours == celerys
    assert ours["headers"]["request_id"] == "a-request"


FROM_BOTH = """
import billiard, django
django.setup()
from config.queue import publishing, tasks

def publish():
    publishing.enqueue(tasks.note_worker, queue="upkeep")

publish()
process = billiard.Process(target=publish)
process.start()
process.join()
print(publishing.waiting("upkeep")["upkeep"])
"""


@pytest.mark.parametrize("has_redis", [True, False])
def test_a_process_that_is_forked_after_its_parent_has_published_can_publish(redis_server, tmp_path, has_redis):
    """Celery replaces a killed process of a pool in this way."""
    redis_url = redis_server.url if has_redis else ""

    assert forks.output_of(FROM_BOTH, tmp_path, REDIS_URL=redis_url, VAR_DIR=str(tmp_path)) == "2\n"


FAILING = """
import django
django.setup()
from config.queue import publishing

class Task:
    name = "no.task"
    def __getattr__(self, name):
        raise RuntimeError("cannot be published")

publishing.enqueue(Task())
"""


def test_an_error_that_nobody_expects_is_logged_and_not_raised(tmp_path):
    printed = forks.output_of(FAILING, tmp_path, VAR_DIR=str(tmp_path))

    assert "cannot be published" in printed


def test_a_dead_redis_does_not_delay_a_request(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)
    publisher.publish()
    redis_server.program.kill()

    first, second = publisher.publish(), publisher.publish()

    assert max(first, second) < 5
    assert publisher.failures == 1  # the second publish did not try to connect


@pytest.mark.fault("A6", "A7")
def test_a_hung_redis_delays_one_request_by_half_a_second(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)
    publisher.publish()
    os.kill(redis_server.program.pid, signal.SIGSTOP)

    first, second = publisher.publish(), publisher.publish()

    os.kill(redis_server.program.pid, signal.SIGCONT)
    assert 0.4 < first < 10  # half a second, and time for a busy machine; the default of Redis would block for 20 s
    assert second < 10
    assert publisher.failures == 1  # the second publish did not try to connect


def test_publishing_continues_five_seconds_after_redis_is_back(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)
    publisher.publish()
    os.kill(redis_server.program.pid, signal.SIGSTOP)
    publisher.publish()
    os.kill(redis_server.program.pid, signal.SIGCONT)
    waiting = redis_server.client().llen("periodic")

    publisher.publish()
    paused = redis_server.client().llen("periodic")
    time.sleep(5.1)
    publisher.publish()

    assert paused == waiting
    assert redis_server.client().llen("periodic") == waiting + 1


def test_a_file_queue_that_cannot_be_written_fails_no_request(publish_to, tmp_path):
    publisher = publish_to(REDIS_URL="", VAR_DIR=str(tmp_path))
    publisher.publish()
    (tmp_path / "queue").rename(tmp_path / "moved")

    seconds = publisher.publish()

    assert seconds < 5
    assert len(list((tmp_path / "moved").rglob("*.msg"))) == 1
