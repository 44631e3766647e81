"""A worker has threads for each kind of work, in three processes. If one dies or hangs, the others continue."""

import os
import signal
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from config.queue import publishing, tasks
from config.queue.app import app
from tests import forks
from tests.servers import Program, wait_until
from tests.service import Service

SQL = "SELECT current_setting('statement_timeout')"


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


@pytest.fixture(scope="module")
def own_service(start_service) -> Service:
    return start_service()


@pytest.fixture
def worker(own_service) -> Program:
    return own_service.start_worker()


@pytest.mark.parametrize(
    ("task", "queue"),
    [
        ("notifications.tasks.sending.drain", "send-email"),
        ("notifications.tasks.sending.sweep", "periodic"),
        ("notifications.tasks.receipts.anything", "receipts"),
        ("notifications.tasks.callbacks.anything", "callbacks"),
        ("notifications.tasks.upkeep.count_messages", "upkeep"),
        ("config.jobs.tasks.work_on_run", "upkeep"),
        ("datasets.tasks.work_on_import", "imports"),
        ("config.queue.tasks.note_worker", "periodic"),
    ],
)
def test_each_kind_of_work_has_its_queue(task, queue):
    assert app.amqp.router.route({}, task)["queue"].name == queue


def test_every_queue_has_its_threads_and_every_scheduled_task_a_queue():
    assert len(set(settings.WORKER_QUEUES)) == len(settings.WORKER_QUEUES)
    app.loader.import_default_modules()
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        assert app.amqp.router.route({}, entry["task"])["queue"].name in settings.WORKER_QUEUES
        assert entry["task"] in app.tasks


def test_waiting_messages_are_counted_by_queue():
    before = publishing.waiting("receipts", "callbacks")

    tasks.note_worker.apply_async(queue="receipts")

    assert publishing.waiting("receipts", "callbacks") == {**before, "receipts": before["receipts"] + 1}


def test_celerys_warning_about_root_is_one_log_line(worker):
    printed = worker.log.read_text()

    assert "superuser" not in printed
    assert printed.count("worker.runs_as_root") == (os.geteuid() == 0)


@pytest.mark.fault("A2")
def test_a_dead_process_is_replaced_and_the_others_continue(worker):
    processes = children(worker.pid)

    os.kill(processes[0], signal.SIGKILL)

    wait_until(lambda: worker.has_said("worker.process_died"))
    wait_until(lambda: len(children(worker.pid)) == len(settings.WORKER_PROCESSES))
    assert set(processes[1:]) < set(children(worker.pid))
    assert worker.is_running()


@pytest.mark.fault("A2")
def test_a_process_whose_task_hangs_is_replaced_and_the_others_continue(start_service):
    service = start_service(DJANGO_SETTINGS_MODULE="tests.config.hanging_settings")
    worker = service.start_worker()
    processes = children(worker.pid)
    code = "from tests.config.hanging_tasks import hang; hang.apply_async(queue='{}')"

    assert service.manage("shell", "-v", "0", "-c", code.format("upkeep")).returncode == 0

    wait_until(lambda: worker.has_said("tests.config.hanging_tasks.hang has exceeded its time limit"))
    wait_until(lambda: worker.has_said("worker.process_died"))
    wait_until(lambda: len(children(worker.pid)) == len(settings.WORKER_PROCESSES))
    assert len(set(processes) & set(children(worker.pid))) == len(processes) - 1


def test_other_queues_do_not_wait_for_a_task_that_hangs(start_service):
    service = start_service(DJANGO_SETTINGS_MODULE="tests.config.hanging_settings")
    worker = service.start_worker()
    code = (
        "from tests.config.hanging_tasks import hang; from config.queue.tasks import note_worker; "
        "[hang.apply_async(queue='send-email') for _ in range(100)]; note_worker.apply_async(queue='send-sms')"
    )

    assert service.manage("shell", "-v", "0", "-c", code).returncode == 0

    wait_until(lambda: f'"task": "{tasks.note_worker.name}"' in worker.log.read_text())
    assert not worker.has_said("exceeded")
    worker.kill()  # it would wait for the tasks that hang


def test_between_two_tasks_a_process_keeps_its_connection(own_service, worker):
    """Otherwise each task would open a connection, and other threads of the process would find the pool closed."""
    if connection.vendor != "postgresql":
        assert connection.vendor == "sqlite", "whose file is always at hand"
        return
    worker.stop()
    before = backends(own_service)
    worker = own_service.start_worker()
    note(own_service, worker)
    first = backends(own_service) - before

    for _ in range(3):
        note(own_service, worker)

    assert first
    assert first <= backends(own_service)


def note(service: Service, worker: Program) -> None:
    """Run one task in the one thread of a queue."""
    done = f'"task": "{tasks.note_worker.name}"'
    before = worker.log.read_text().count(done)
    code = "from config.queue.tasks import note_worker; note_worker.apply_async(queue='upkeep')"
    assert service.manage("shell", "-v", "0", "-c", code).returncode == 0
    wait_until(lambda: worker.log.read_text().count(done) > before)


def backends(service: Service) -> set[int]:
    """Return the open connections to the database of a service."""
    url = service.environment["DATABASE_URL"]
    question = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(url) as anybody:
        return {pid for (pid,) in anybody.execute(question)}


def test_a_stopped_worker_ends_with_all_its_processes(worker):
    processes = children(worker.pid)
    assert len(processes) == len(settings.WORKER_PROCESSES)

    worker.process.send_signal(signal.SIGTERM)

    assert worker.process.wait(60) == 0
    assert not [pid for pid in processes if Path(f"/proc/{pid}").exists()]


def test_the_processes_have_names(worker):
    names = [Path(f"/proc/{pid}/comm").read_text().strip() for pid in children(worker.pid)]

    assert names == list(settings.WORKER_PROCESSES)


def test_the_processes_end_when_the_process_above_them_is_killed(worker):
    processes = children(worker.pid)

    os.kill(worker.pid, signal.SIGKILL)
    worker.process.wait()

    wait_until(lambda: all(is_gone(pid) for pid in processes))


def is_gone(pid: int) -> bool:
    """Return whether the process has ended, even if it is not reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("wrong", [{"queues": "send-letters"}, {"concurrency": 0}])
def test_invalid_options_are_rejected(wrong):
    with pytest.raises(CommandError, match=r"send-letters|concurrency"):
        call_command("worker", **wrong)


@pytest.mark.django_db
def test_a_worker_may_take_a_minute_for_a_statement_and_a_request_five_seconds(tmp_path):
    if connection.vendor != "postgresql":
        assert connection.vendor == "sqlite", "which has no such limit"
        return
    code = (
        "import django; django.setup(); from django.db import connection; "
        "from config.databases import statements; {allow}"
        f'cursor = connection.cursor(); cursor.execute("{SQL}"); print(cursor.fetchone()[0])'
    )

    def ask(allow: str) -> str:
        return forks.output_of(code.format(allow=allow), tmp_path).strip()

    assert ask("") == "5s"
    assert ask("statements.allow(statements.WORKER_SECONDS); ") == "1min"
