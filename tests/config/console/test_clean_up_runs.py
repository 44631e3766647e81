"""One run of a clean-up rule: its row, its tasks, its failures, and the death of its process. §2.17."""

import re
from collections.abc import Iterator
from datetime import timedelta
from threading import Event, Thread
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from config.accounts.invite import Invite
from config.audit.models import AuditEvent
from config.jobs import retention, runner
from config.jobs.models import LEASE_SECONDS, RetentionRun, Trigger
from config.jobs.registry import Batch
from config.jobs.rules import RetentionRule
from datasets.models import WriteError
from notifications.models import ApiCallError
from tests.cleaning import clean_up
from tests.datasets.making import make_data_set
from tests.factories import make_api_key

pytestmark = pytest.mark.django_db


def make_rule(*batches: Batch, **more: object) -> RetentionRule:
    """Return a rule that removes these batches."""
    fields = {"name": f"rule-{uuid4().hex[:8]}", "title": "Things", "keeps": lambda: "a day", "preview": list}
    return RetentionRule(**{**fields, "remove": lambda: iter(batches), **more})  # type: ignore[arg-type]


def batch(label: str, number: int, error: str = "") -> Batch:
    return Batch(label=label, number=number, error=error)


def test_a_run_stores_what_it_removed_by_place() -> None:
    rule = make_rule(batch("pay", 500), batch("pay", 20), batch("post", 3))

    row = retention.run(rule, Trigger.CLOCK)

    assert (row.rule, row.trigger, row.removed, row.error) == (rule.name, "clock", 523, "")
    assert row.detail == {"removed": {"pay": 520, "post": 3}}
    assert row.finished_at is not None
    assert row.finished_at >= row.started_at


def test_an_empty_run_is_stored_but_not_audited() -> None:
    row = retention.run(make_rule(), Trigger.CLOCK)

    assert (row.removed, row.detail, row.finished_at is None) == (0, {}, False)
    assert not AuditEvent.objects.filter(object_id=row.pk).exists()


def test_the_audit_names_the_actor_and_the_number_of_removed_rows(operator: User) -> None:
    row = retention.run(make_rule(batch("pay", 5)), Trigger.PERSON, operator)

    event = AuditEvent.objects.get(object_id=row.pk)
    assert (event.actor_label, event.verb, event.after) == ("mina", "ran", {"rule": row.rule, "removed": 5})


def test_a_failure_is_stored_with_the_removed_rows_and_without_its_message() -> None:
    def remove() -> Iterator[Batch]:
        yield batch("pay", 5)
        raise ValueError("a@example.org is not a number")

    row = retention.run(make_rule(remove=remove), Trigger.CLOCK)

    assert (row.removed, row.finished_at is None) == (5, False)
    assert re.fullmatch(r"ValueError in test_clean_up_runs\.py, line \d+", row.error)


def test_an_error_in_one_place_is_stored_and_does_not_stop_the_others() -> None:
    row = retention.run(make_rule(batch("pay", 0, "the store is away"), batch("post", 3)), Trigger.CLOCK)

    assert (row.removed, row.error) == (3, "pay: the store is away")
    assert row.detail == {"removed": {"post": 3}, "errors": {"pay": "the store is away"}}


def test_a_run_in_progress_is_joined_instead_of_started_twice() -> None:
    rule = make_rule()
    first, is_new = retention.start(rule, Trigger.CLOCK)

    second, is_second_new = retention.start(rule, Trigger.COMMAND)

    assert (is_new, is_second_new, second.pk) == (True, False, first.pk)


def test_a_task_ends_between_two_batches_and_the_next_one_continues() -> None:
    left = [batch("pay", 1) for _ in range(3)]

    def remove() -> Iterator[Batch]:
        while left:
            yield left.pop()

    rule = make_rule(remove=remove)
    row, _ = retention.start(rule, Trigger.CLOCK)

    is_more = [runner.work(row, rule, seconds=0) for _ in range(4)]

    row.refresh_from_db()
    assert is_more == [True, True, True, False]
    assert (row.removed, row.finished_at is None) == (3, False)


def test_a_duplicate_task_does_nothing_while_the_first_one_runs() -> None:
    done: list[bool] = []

    def remove() -> Iterator[Batch]:
        twice = make_rule(remove=lambda: pytest.fail("two turns of one run at once"))
        done.append(runner.work(RetentionRun.objects.get(), twice))
        yield batch("pay", 1)

    retention.run(make_rule(remove=remove), Trigger.CLOCK)

    assert done == [False]


def test_a_run_whose_process_died_is_closed_and_the_next_one_starts() -> None:
    rule = make_rule(batch("pay", 2))
    dead, _ = retention.start(rule, Trigger.CLOCK)
    silent_since = Now() - timedelta(seconds=LEASE_SECONDS + 1)
    RetentionRun.objects.filter(pk=dead.pk).update(holder="gone", seen_at=silent_since)

    row = retention.run(rule, Trigger.CLOCK)

    dead.refresh_from_db()
    assert (dead.error, dead.finished_at is None) == (retention.DIED, False)
    assert (row.pk == dead.pk, row.removed) == (False, 2)


def test_a_process_that_lost_its_lease_stops_and_does_not_change_the_row() -> None:
    rule = make_rule()
    row, _ = retention.start(rule, Trigger.CLOCK)

    def remove() -> Iterator[Batch]:
        RetentionRun.objects.filter(pk=row.pk).update(seen_at=Now() - timedelta(seconds=LEASE_SECONDS + 1))
        retention.close_dead(rule)
        yield batch("pay", 1)
        pytest.fail("it went on")

    assert runner.work(row, make_rule(remove=remove)) is False

    row.refresh_from_db()
    assert (row.error, row.removed) == (retention.DIED, 0)


@pytest.mark.django_db(transaction=True)
def test_of_many_concurrent_starts_one_creates_a_run() -> None:
    rule, go = make_rule(), Event()
    opened: list[bool] = []

    def start() -> None:
        go.wait()
        opened.append(retention.start(rule, Trigger.CLOCK)[1])
        connection.close()

    threads = [Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join()

    assert sorted(opened) == [False] * 5 + [True]


def test_expired_invites_are_removed() -> None:
    now = timezone.now()
    for days in (-1, 1):
        Invite.objects.create(user_id=1, token_hash=uuid4().hex, expires_at=now + timedelta(days=days))

    assert clean_up("invites").removed == 1
    assert Invite.objects.get().expires_at > now


def test_write_errors_are_removed_after_thirty_days() -> None:
    now, key, data_set = timezone.now(), make_api_key(), make_data_set()
    for days in (29, 31):
        at = now - timedelta(days=days)
        ApiCallError.objects.create(key=key, at=at, status=400, kind="BadRequestError")
        WriteError.objects.create(data_set=data_set, at=at, status=400, reason="No.")

    assert (clean_up("key-errors").removed, clean_up("write-errors").removed) == (1, 1)
    assert ApiCallError.objects.get().at > now - timedelta(days=30)
    assert WriteError.objects.get().at > now - timedelta(days=30)
