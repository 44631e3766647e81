"""A real worker loses no message when it is killed, and retries temporarily rejected ones."""

import json
import os
import signal
import subprocess
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session
from notifications_python_client.notifications import NotificationsAPIClient

from notifications.delivery.drain import LARGEST_BATCH
from notifications.tasks.sending import sweep
from tests.notifications.claims import end_claims
from tests.servers import SmtpSink, wait_until
from tests.service import Service

MESSAGES = 200
PAUSED_MESSAGES = 120
CUT_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
THREADS = 2  # of one worker; each may have sent a batch that it has not recorded

SERVICE = {
    "name": "Parks",
    "live": True,
    "reply_to_addresses": [{"email_address": "reply@example.com"}],
    "templates": [{"type": "email", "name": "t", "subject": "Hello", "content": "Dear ((name))"}],
    "api_keys": [{"name": "k", "type": "live"}],
}


class WatchedSink(SmtpSink):
    """Call the test's function when a message has arrived, before the acknowledgement."""

    before_answer: Callable[[], None] | None = None

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = await super().handle_DATA(server, session, envelope)
        if self.before_answer:
            self.before_answer()
        return answer


@pytest.fixture(scope="module")
def sink() -> Iterator[WatchedSink]:
    sink = WatchedSink()
    yield sink
    sink.stop()


@pytest.fixture(scope="module")
def killable(start_service: Callable[..., Service], sink: WatchedSink) -> Service:
    """Start a service that sends to `sink` and whose claims are short."""
    return start_service(PROVIDERS=f"mail={sink.url}", DJANGO_SETTINGS_MODULE="tests.quick_settings")


@pytest.fixture(autouse=True)
def _empty(sink: WatchedSink) -> None:
    sink.messages.clear()
    sink.before_answer = None
    sink.refuse(None)


def accept(service: Service, count: int) -> list[str]:
    """Send `count` emails of a new service through the API and return their ids."""
    document = {"services": [{"id": str(uuid.uuid4()), **SERVICE}]}
    provisioned = json.loads(service.manage("provision", "-", input=json.dumps(document)).stdout)["services"][0]
    client = NotificationsAPIClient(provisioned["api_keys"][0]["api_key"], base_url=service.url)
    template_id = provisioned["templates"][0]["id"]

    def send(number: int) -> str:
        answer = client.send_email_notification(f"ana{number}@example.org", template_id, {"name": "Ana"})
        return str(answer["id"])

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(send, range(count)))


def rows(service: Service, ids: list[str]) -> list[dict[str, Any]]:
    code = (
        "import json, sys; from notifications.models import Notification; "
        "found = Notification.objects.filter(id__in=json.load(sys.stdin)); "
        "print(json.dumps(list(found.values('status', 'attempts', 'failed_attempts'))))"
    )
    done = service.manage("shell", "--no-imports", "-c", code, input=json.dumps(ids))
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def statuses(service: Service, ids: list[str]) -> Counter[str]:
    return Counter(row["status"] for row in rows(service, ids))


def arrived(sink: SmtpSink) -> Counter[str]:
    return Counter(str(mail["Message-ID"]) for mail in list(sink.messages))


def sweep_until_delivered(service: Service, ids: list[str]) -> None:
    """Sweep until the messages are recorded as delivered.

    A killed process may have sent messages that it has not recorded. They are sent again at the first sweep after the
    end of its claims.
    """

    def is_delivered() -> bool:
        service.manage("sweep", "messages")
        return statuses(service, ids) == {"delivered": len(ids)}

    wait_until(is_delivered, 200)


@pytest.mark.fault("A1")
def test_200_messages_survive_a_worker_killed_midway(killable, sink):
    worker = killable.start_worker()

    def kill_midway() -> None:
        if len(sink.messages) > MESSAGES // 5:
            worker.kill()

    sink.before_answer = kill_midway
    ids = accept(killable, MESSAGES)
    wait_until(lambda: not worker.is_running())
    sink.before_answer = None
    end_claims(killable)
    killable.start_worker()

    sweep_until_delivered(killable, ids)

    assert set(arrived(sink)) == {f"<{identifier}@signalbox.invalid>" for identifier in ids}
    assert len(sink.messages) <= MESSAGES + THREADS * LARGEST_BATCH


@pytest.mark.fault("A3")
def test_after_the_death_of_a_worker_before_its_record_the_same_message_is_sent_again(killable, sink):
    worker = killable.start_worker()
    sink.before_answer = worker.kill
    [identifier] = accept(killable, 1)
    wait_until(lambda: not worker.is_running())
    sink.before_answer = None
    end_claims(killable)
    killable.start_worker()

    sweep_until_delivered(killable, [identifier])

    assert arrived(sink) == {f"<{identifier}@signalbox.invalid>": 2}
    [row] = rows(killable, [identifier])
    assert [attempt["outcome"] for attempt in row["attempts"]] == ["uncertain", "accepted"]


def test_a_broken_connection_before_the_record_of_an_acceptance_sends_nothing_twice(killable, sink):
    """On SQLite, which has no connections to break, this is an ordinary delivery."""

    def cut() -> None:
        if killable.environment["DATABASE_URL"].startswith("postgres"):
            with psycopg.connect(killable.environment["DATABASE_URL"], autocommit=True) as anybody:
                anybody.execute(CUT_ALL)
        sink.before_answer = None

    killable.start_worker()
    sink.before_answer = cut
    [identifier] = accept(killable, 1)
    wait_until(lambda: sink.before_answer is None)  # the command below must not lose its connection, too

    wait_until(lambda: statuses(killable, [identifier]) == {"delivered": 1})

    [row] = rows(killable, [identifier])
    assert [attempt["outcome"] for attempt in row["attempts"]] == ["accepted"]
    assert arrived(sink) == {f"<{identifier}@signalbox.invalid>": 1}


def children(process_id: int) -> set[int]:
    listed = subprocess.run(["pgrep", "-P", str(process_id)], capture_output=True, text=True)
    return {int(line) for line in listed.stdout.split()}


@pytest.mark.fault("A2")
def test_killed_processes_of_a_worker_are_replaced(killable, sink):
    worker = killable.start_worker()
    first = accept(killable, 4)
    wait_until(lambda: statuses(killable, first) == {"delivered": 4})
    before = children(worker.pid)

    for process_id in before:
        os.kill(process_id, signal.SIGKILL)
    wait_until(lambda: len(children(worker.pid) - before) >= len(before))
    ids = accept(killable, 20)

    sweep_until_delivered(killable, ids)
    assert worker.is_running()


@pytest.mark.fault("A2")
def test_a_replaced_process_publishes_wake_ups(killable):
    """It is forked from a process that may have published, and must not use its connection to the broker."""
    worker = killable.start_worker()
    before = children(worker.pid)

    for process_id in before:
        os.kill(process_id, signal.SIGKILL)
    wait_until(lambda: len(children(worker.pid) - before) >= len(before))
    accept(killable, 1)
    code = "from notifications.tasks import sending; sending.sweep.apply_async()"
    assert killable.manage("shell", "-v", "0", "-c", code).returncode == 0

    wait_until(lambda: f'"task": "{sweep.name}"' in worker.log.read_text())
    assert "RuntimeError" not in worker.log.read_text()


@pytest.mark.fault("A4")
def test_a_worker_that_stops_under_load_finishes_its_messages_and_sends_nothing_twice(killable, sink):
    worker = killable.start_worker()
    ids = accept(killable, 100)
    wait_until(lambda: len(sink.messages) > 10)

    worker.process.send_signal(signal.SIGTERM)

    assert worker.process.wait(30) == 0
    killable.start_worker()
    sweep_until_delivered(killable, ids)
    # A message of an earlier test, whose worker was killed, may come once more.
    numbers = [number for message_id, number in arrived(sink).items() if any(each in message_id for each in ids)]
    assert numbers == [1] * len(ids)


@pytest.mark.fault("B1")
def test_a_temporary_rejection_is_retried_after_5_seconds_without_a_sweep(killable, sink):
    killable.start_worker()
    sink.refuse("451 try later")
    [identifier] = accept(killable, 1)
    wait_until(lambda: rows(killable, [identifier])[0]["failed_attempts"] == 1)
    sink.refuse(None)

    sink.wait_for_message()

    wait_until(lambda: statuses(killable, [identifier]) == {"delivered": 1})
    outcomes = [(attempt["outcome"], attempt["reply"]) for attempt in rows(killable, [identifier])[0]["attempts"]]
    assert outcomes == [("temporary", "451 try later"), ("accepted", "250 OK")]


def test_a_pause_stops_a_running_worker_and_after_the_resume_every_message_arrives_once(killable, sink):
    killable.start_worker()
    is_paused = False

    def pause_midway() -> None:
        nonlocal is_paused
        time.sleep(0.05)  # the messages of the 2 s in which a worker may not know of the pause are fewer than the rest
        if len(sink.messages) > PAUSED_MESSAGES // 5 and not is_paused:
            is_paused = True
            set_pause(killable, "pause")

    sink.before_answer = pause_midway
    ids = accept(killable, PAUSED_MESSAGES)
    wait_until(lambda: is_paused)
    wait_until(lambda: is_quiet(sink, seconds=3))  # longer than the worker may not know

    sent = len(sink.messages)
    assert sent < PAUSED_MESSAGES
    wait_until(lambda: statuses(killable, ids) == {"delivered": sent, "created": PAUSED_MESSAGES - sent})
    killable.manage("sweep", "messages")
    assert is_quiet(sink, seconds=1)
    assert len(sink.messages) == sent

    set_pause(killable, "resume")
    killable.manage("sweep", "messages")
    wait_until(lambda: statuses(killable, ids) == {"delivered": PAUSED_MESSAGES})
    assert set(arrived(sink)) == {f"<{identifier}@signalbox.invalid>" for identifier in ids}
    assert len(sink.messages) == PAUSED_MESSAGES


def set_pause(service: Service, verb: str) -> None:
    code = (
        "from config import audit; from notifications.delivery import pauses; "
        "from notifications.models import PauseKind; "
        f"assert pauses.{verb}(PauseKind.CHANNEL, 'email', audit.COMMAND)"
    )
    done = service.manage("shell", "--no-imports", "-c", code)
    assert done.returncode == 0, done.stderr


def is_quiet(sink: SmtpSink, *, seconds: float) -> bool:
    """Return whether no message arrives for this time."""
    before = len(sink.messages)
    time.sleep(seconds)
    return len(sink.messages) == before
