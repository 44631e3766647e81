"""A broker that is dead or hung never breaks a request and hardly delays one."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.servers import ROOT, PrivateRedis

PUBLISH = """
import sys, time
import django
django.setup()
from config import publishing
from config.celery import app

@app.task
def look_again(row): pass

for line in sys.stdin:
    started = time.monotonic()
    publishing.enqueue(look_again, "a-row")
    print(f"{time.monotonic() - started:.3f}", flush=True)
"""


class Publisher:
    """A process that publishes once whenever it is told to, and says how long that took."""

    def __init__(self, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PUBLISH],
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []

    def publish(self) -> float:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            assert line, "the publisher has died"
            try:
                return float(line)
            except ValueError:
                self.lines.append(line)


@pytest.fixture
def publish_to():
    started = []

    def start(**environment: str) -> Publisher:
        started.append(Publisher(**environment))
        return started[-1]

    yield start
    for publisher in started:
        publisher.process.terminate()
        publisher.process.communicate()


@pytest.fixture
def redis_server():
    server = PrivateRedis()
    yield server
    server.stop()


def test_a_message_reaches_redis(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)

    publisher.publish()

    assert redis_server.client().llen("signalbox") == 1


def test_a_dead_redis_costs_a_request_nothing(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)
    publisher.publish()
    redis_server.program.kill()

    seconds = publisher.publish()

    assert seconds < 0.5
    assert any("queue.unreachable" in line for line in publisher.lines)


def test_a_hung_redis_costs_half_a_second_and_then_nothing_for_a_while(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)
    publisher.publish()
    os.kill(redis_server.program.pid, signal.SIGSTOP)

    first, second = publisher.publish(), publisher.publish()

    os.kill(redis_server.program.pid, signal.SIGCONT)
    assert 0.4 < first < 1.2
    assert second < 0.1


def test_publishing_goes_on_five_seconds_after_redis_is_back(publish_to, redis_server):
    publisher = publish_to(REDIS_URL=redis_server.url)
    publisher.publish()
    os.kill(redis_server.program.pid, signal.SIGSTOP)
    publisher.publish()
    os.kill(redis_server.program.pid, signal.SIGCONT)
    waiting = redis_server.client().llen("signalbox")

    publisher.publish()
    paused = redis_server.client().llen("signalbox")
    time.sleep(5.1)
    publisher.publish()

    assert paused == waiting
    assert redis_server.client().llen("signalbox") == waiting + 1


def test_a_file_queue_that_cannot_be_written_breaks_nothing(publish_to, tmp_path):
    publisher = publish_to(REDIS_URL="", VAR_DIR=str(tmp_path))
    publisher.publish()
    (tmp_path / "queue").rename(tmp_path / "moved")

    seconds = publisher.publish()

    assert seconds < 0.5
    assert len(list((tmp_path / "moved").iterdir())) == 1
