"""Damaged messages in each queue of a worker: the worker continues, and they are kept, logged and counted."""

from pathlib import Path

import pytest
import redis
import requests
from django.conf import settings

from config.queue import tasks
from tests.config.damaged_messages import DAMAGED, ODD
from tests.servers import Program, wait_until
from tests.service import Service

QUEUES = settings.WORKER_QUEUES
PREFIX = "one-of-two:"  # of all keys, because two installations may share a Redis server
CLAIM = b"taken-by-a-test-run"  # of tests.servers
UNACKED = f"{PREFIX}unacked"


@pytest.fixture(scope="module")
def own_service(start_service) -> Service:
    return start_service(REDIS_PREFIX=PREFIX)


def put(service: Service, queue: str, messages: dict[str, bytes]) -> None:
    if service.environment["REDIS_URL"]:
        with redis.Redis.from_url(service.environment["REDIS_URL"]) as connection:
            connection.lpush(f"{PREFIX}{queue}", *messages.values())
        return
    folder = Path(service.environment["VAR_DIR"], "queue", queue)
    folder.mkdir(parents=True, exist_ok=True)
    for number, message in enumerate(messages.values()):
        (folder / f"{number:020d}_x.msg").write_bytes(message)


def lying_aside(service: Service) -> float:
    [line] = [
        line
        for line in requests.get(f"{service.url}/metrics", timeout=20).text.splitlines()
        if line.startswith("signalbox_unreadable_messages ")
    ]
    return float(line.partition(" ")[2])


def do_one_task_of_each_queue(service: Service, worker: Program) -> None:
    done = f'"task": "{tasks.note_worker.name}"'
    for queue in QUEUES:
        before = worker.log.read_text().count(done)
        code = f"from config.queue.tasks import note_worker; note_worker.apply_async(queue={queue!r})"
        assert service.manage("shell", "-v", "0", "-c", code).returncode == 0
        wait_until(lambda before=before: worker.log.read_text().count(done) > before, 20)


def test_every_kind_of_worker_survives_every_damaged_message(own_service):
    for queue in QUEUES:
        put(own_service, queue, DAMAGED | ODD)

    worker = own_service.start_worker()

    do_one_task_of_each_queue(own_service, worker)
    log = worker.log.read_text()
    assert "worker.process_died" not in log
    for queue in QUEUES:
        noted = [line for line in log.splitlines() if "queue.message_unreadable" in line and f'"{queue}"' in line]
        assert len(DAMAGED) <= len(noted) <= len(DAMAGED | ODD)
    assert lying_aside(own_service) == log.count("queue.message_unreadable")


def test_a_running_pool_survives_damaged_messages(own_service):
    worker = own_service.start_worker()
    before = lying_aside(own_service)

    for queue in QUEUES:
        put(own_service, queue, {name: DAMAGED[name] for name in ("empty", "a list", "garbage")})

    wait_until(lambda: lying_aside(own_service) == before + 3 * len(QUEUES))
    do_one_task_of_each_queue(own_service, worker)
    assert "worker.process_died" not in worker.log.read_text()
    assert f"could not be read: {before + 3 * len(QUEUES):.0f}" in own_service.manage("doctor", "--all").stdout


def test_in_redis_a_damaged_unacknowledged_message_and_a_key_of_another_type_stop_no_worker(own_service):
    if not own_service.environment["REDIS_URL"]:
        return  # the queue has no keys, only files
    with redis.Redis.from_url(own_service.environment["REDIS_URL"]) as connection:
        for tag, held in {"a-tag": b"garbage", "another": b"[]"}.items():
            connection.hset(UNACKED, tag, held)
            connection.zadd(f"{UNACKED}_index", {tag: 0})
        worker = own_service.start("second", "manage.py", "worker")
        wait_until(lambda: not connection.hexists(UNACKED, "a-tag") and not connection.hexists(UNACKED, "another"))

        connection.set(f"{PREFIX}upkeep", "no list")

        wait_until(lambda: connection.type(f"{PREFIX}upkeep") != b"string")
        own_service.start_worker().stop()
        do_one_task_of_each_queue(own_service, worker)
        assert connection.get(f"{PREFIX}unreadable:upkeep") == b"no list"
        assert {key for key in connection.scan_iter() if not key.startswith(PREFIX.encode())} == {CLAIM}
