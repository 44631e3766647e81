"""Readiness and health checks look at the results of periodic work. Source: docs/reference/running.md §13."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
import requests
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from config.health import health_checks, readiness
from config.jobs import retention, rules, schedule, state
from config.jobs.models import RetentionRun, Trigger
from config.jobs.registry import Batch
from config.jobs.rules import RetentionRule
from config.queue import clock, periodic
from config.queue.app import app
from config.queue.periodic import PeriodicJob
from config.queue.tasks import note_worker
from tests.servers import wait_until
from tests.service import Service

TASK = note_worker.name
INTERVALS = {"quick": timedelta(seconds=30), "slow": timedelta(hours=1)}


def ended_well(name: str, seconds_ago: float) -> None:
    PeriodicJob.objects.filter(name=name).update(ended_well_at=Now() - timedelta(seconds=seconds_ago))


def reasons() -> dict[str, str]:
    return {one.name: one.reason for one in periodic.unwell(INTERVALS)}


@pytest.mark.django_db
def test_a_job_without_a_row_is_not_expected_yet():
    periodic.note_success("quick")

    assert reasons() == {}
    assert not PeriodicJob.objects.exists()


@pytest.mark.django_db
def test_three_failures_in_a_row_are_reported_with_their_cause_until_the_next_success():
    periodic.expect(INTERVALS)
    for _ in range(2):
        periodic.note_failure("quick", "OSError in store.py, line 3")
    after_two = reasons()
    periodic.note_failure("quick", "RuntimeError in publishing.py, line 90")
    after_three = reasons()
    periodic.note_success("quick")

    assert after_two == {}
    assert after_three == {"quick": "failed 3 times in a row (RuntimeError in publishing.py, line 90)"}
    assert reasons() == {}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "seconds_ago", "is_late"),
    [("quick", 80, False), ("quick", 100, True), ("slow", 10_000, False), ("slow", 11_000, True)],
)
def test_a_job_is_late_after_three_of_its_own_intervals(name, seconds_ago, is_late):
    periodic.expect(INTERVALS)

    ended_well(name, seconds_ago)

    assert (name in reasons()) == is_late


@pytest.mark.django_db
def test_a_job_that_has_never_ended_well_is_late_too():
    periodic.expect(INTERVALS)
    PeriodicJob.objects.filter(name="quick").update(expected_since=Now() - timedelta(minutes=5))

    assert reasons()["quick"].startswith("has not ended well for 5 min")


@pytest.mark.django_db
def test_the_database_decides_what_is_late_not_the_clock_of_the_process(time_machine):
    periodic.expect(INTERVALS)
    time_machine.move_to(timezone.now() + timedelta(days=30))

    assert reasons() == {}


@pytest.mark.django_db
def test_each_run_of_a_scheduled_task_stores_its_result():
    periodic.expect([TASK])
    note_worker.apply()

    assert PeriodicJob.objects.get().ended_well_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_task_whose_table_is_missing_makes_the_service_not_ready():
    periodic.expect(schedule.intervals() | periodic.of_schedule())
    quoted = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {quoted('process_presence')} RENAME TO {quoted('elsewhere')}")
    try:
        for _ in range(3):
            note_worker.apply()
        found, failed = health_checks.jobs(), readiness.failures()
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {quoted('elsewhere')} RENAME TO {quoted('process_presence')}")
    note_worker.apply()

    assert f"{TASK} failed 3 times in a row (" in found.seen
    assert "Error in presence.py, line " in found.seen
    assert found.fix
    assert "jobs" in failed
    assert "jobs" not in readiness.failures()


def rule(*batches: Batch) -> RetentionRule:
    return RetentionRule(
        name="odd", title="Odd", keeps=lambda: "", preview=tuple, remove=lambda: iter(batches), every=timedelta(hours=1)
    )


@pytest.mark.django_db
def test_each_run_of_a_clean_up_rule_stores_its_result():
    failing = rule(Batch(label="pay", number=0, error="the store is away"))
    periodic.expect([failing.job_name])

    for _ in range(3):
        retention.run(failing, Trigger.CLOCK)
    failed = PeriodicJob.objects.get()
    retention.run(rule(), Trigger.CLOCK)

    assert (failed.failures, failed.error) == (3, "pay: the store is away")
    assert PeriodicJob.objects.get().failures == 0


@pytest.mark.django_db
def test_a_clean_up_whose_process_dies_each_time_counts_as_failed():
    dying = rule()
    periodic.expect([dying.job_name])

    for _ in range(3):
        retention.start(dying, Trigger.CLOCK)
        RetentionRun.objects.filter(finished_at=None).update(seen_at=Now() - timedelta(minutes=3))
        retention.close_dead(dying)

    assert PeriodicJob.objects.get().failures == 3


@pytest.mark.django_db
def test_every_scheduled_task_and_every_rule_is_watched():
    app.tasks["config.jobs.tasks.look_for_clean_up"].apply()
    clock.Clock(app=app, lazy=True)._catch_up()

    watched = set(PeriodicJob.objects.values_list("name", flat=True))

    assert watched == set(app.conf.beat_schedule) | {one.job_name for one in rules.registered()}
    assert state.unwell() == []


@pytest.mark.django_db
def test_a_clock_starts_with_the_tasks_that_are_overdue():
    name = "notifications.tasks.upkeep.close_without_receipt"
    periodic.expect(periodic.of_schedule())
    PeriodicJob.objects.update(ended_well_at=Now())
    ended_well(name, 1_000)
    beat = clock.Clock(app=app, lazy=True)
    beat.setup_schedule()

    beat._catch_up()

    assert [entry.name for entry in beat.schedule.values() if entry.is_due().is_due] == [name]


def execute(service: Service, statement: str) -> None:
    url = service.environment["DATABASE_URL"]
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as session:
            session.execute(statement)
    else:
        with closing(sqlite3.connect(url.partition("///")[2], timeout=60)) as session:
            session.execute(statement)


def test_a_service_whose_processes_run_is_not_ready_while_a_sweep_fails(start_service):
    service = start_service()
    service.start_worker()
    service.start("clock", "manage.py", "clock")

    def failed() -> object:
        return requests.get(f"{service.url}/_status/ready", timeout=60).json().get("failed", [])

    def finding(name: str) -> str:
        found = requests.get(f"{service.url}/_status/deep", timeout=60).json()["findings"]
        return next(one["fix"] for one in found if one["name"] == name)

    execute(service, "ALTER TABLE notifications_bulksend RENAME TO elsewhere")
    wait_until(lambda: failed() == ["jobs"], seconds=180)
    presence = [finding(name) for name in ("worker", "clock")]
    serving = requests.get(f"{service.url}/_status/serving", timeout=60).status_code
    execute(service, "ALTER TABLE elsewhere RENAME TO notifications_bulksend")
    wait_until(lambda: failed() == [], seconds=180)

    assert presence == ["", ""]
    assert serving == 200
