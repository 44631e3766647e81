"""Retention deletes old records and records over a limit exactly, in small batches, beside other writers. §14."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import OperationalError, connection
from django.utils import timezone

from config.audit.models import AuditEvent
from config.jobs import rules
from datasets import store
from datasets.models import DataSet, Record, RememberedKey
from tests.cleaning import clean_up
from tests.datasets.making import call, make_data_set, make_token, put_in

pytestmark = pytest.mark.django_db
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL Appendix A


def aged(*days: float, prefix: str = "r") -> list[dict[str, object]]:
    """Return records that are so many days older than NOW."""
    return [
        {"_id": f"{prefix}{n}", "_timestamp": (NOW - timedelta(days=each)).isoformat()} for n, each in enumerate(days)
    ]


def ids(data_set: DataSet) -> set[str]:
    return set(data_set.records.values_list("record_id", flat=True))


def state(data_set: DataSet) -> tuple[int, int]:
    data_set.refresh_from_db()
    return data_set.record_count, data_set.revision


@time_machine.travel(NOW, tick=False)
def test_records_older_than_the_limit_are_deleted_and_the_border_stays():
    data_set, other = make_data_set(retention_days=30), make_data_set(type="other")
    border = [{"_id": "on", "_timestamp": (NOW - timedelta(days=30)).isoformat()}]
    just = [{"_id": "past", "_timestamp": (NOW - timedelta(days=30, microseconds=1)).isoformat()}]
    put_in(data_set, aged(0, 29.9, 30.1, 400) + border + just)
    put_in(other, aged(400))

    row = clean_up("records-by-age")

    assert ids(data_set) == {"r0", "r1", "on"}
    assert state(data_set) == (3, 2)
    assert ids(other) == {"r0"}
    assert (row.removed, row.detail, row.error) == (3, {"removed": {"pay/volumes": 3}}, "")
    event = AuditEvent.objects.get(verb="cleaned_up")
    assert (event.data_set_id, event.after["removed"]) == (data_set.pk, 3)


def test_of_equal_moments_the_later_update_and_then_the_greater_id_is_newer():
    data_set = make_data_set(max_records=3)
    put_in(data_set, [{"_id": each, "_timestamp": "2024-01-02T00:00:00Z"} for each in "cab"])
    put_in(data_set, [{"_id": "a", "_timestamp": "2024-01-02T00:00:00Z"}])  # stored again, so it is the newest of them
    put_in(data_set, [{"_id": "z", "_timestamp": "2024-01-01T00:00:00Z"}])

    clean_up("records-by-number")

    assert ids(data_set) == {"a", "b", "c"}
    DataSet.objects.update(max_records=2)
    clean_up("records-by-number")
    assert ids(data_set) == {"a", "c"}
    assert data_set.records.count() == state(data_set)[0] == 2


@pytest.mark.parametrize("count", [0, 1, 2_000, 2_001])
def test_the_count_stays_exact_across_batches(count):
    data_set = make_data_set(max_records=5)
    put_in(data_set, aged(*(n / 100 for n in range(count + 5))))

    row = clean_up("records-by-number")

    assert row.removed == count
    assert state(data_set)[0] == data_set.records.count() == 5
    assert ids(data_set) == {f"r{n}" for n in range(5)}


def test_a_second_run_finds_nothing_and_changes_no_revision():
    data_set = make_data_set(max_records=1)
    put_in(data_set, aged(1, 2, 3))

    first, second = clean_up("records-by-number"), clean_up("records-by-number")

    assert (first.removed, second.removed) == (2, 0)
    assert state(data_set) == (1, 2)


def test_an_interrupted_run_leaves_exact_counts_and_the_next_one_continues():
    data_set = make_data_set(max_records=1)
    put_in(data_set, aged(*range(1, 4_502)))

    steps = store.remove_beyond(data_set.pk, 1)
    first = next(steps)
    steps.close()

    assert first == 2_000
    assert state(data_set)[0] == data_set.records.count() == 2_501
    assert clean_up("records-by-number").removed == 2_500


def test_one_failing_data_set_does_not_stop_the_others():
    broken, well = make_data_set(max_records=1), make_data_set(type="well", max_records=1)
    for each in (broken, well):
        put_in(each, aged(1, 2, 3))

    with refusing_to_delete(broken):
        row = clean_up("records-by-number")

    assert (broken.records.count(), well.records.count()) == (3, 1)
    assert row.error.startswith("pay/volumes: ")
    assert row.detail["removed"] == {"pay/well": 2}
    assert clean_up("records-by-number").error == ""
    assert broken.records.count() == 1


@contextmanager
def refusing_to_delete(data_set: DataSet) -> Iterator[None]:
    """Create a trigger that fails each deletion from one data set, like a damaged table or a full disk."""
    is_it = f"WHEN (old.data_set_id = {data_set.pk})"
    function = "CREATE FUNCTION no_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not today'; END $$"
    before = "CREATE TRIGGER no_delete BEFORE DELETE ON datasets_record FOR EACH ROW"
    statements = {
        "sqlite": ([f"{before} {is_it} BEGIN SELECT RAISE(ABORT, 'not today'); END"], ["DROP TRIGGER no_delete"]),
        "postgresql": (
            [function, f"{before} {is_it} EXECUTE FUNCTION no_delete()"],
            ["DROP FUNCTION no_delete CASCADE"],
        ),
    }
    make, undo = statements[connection.vendor]
    with connection.cursor() as cursor:
        for statement in make:
            cursor.execute(statement)
    yield
    with connection.cursor() as cursor:
        for statement in undo:
            cursor.execute(statement)


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_runs_and_a_writer_lose_and_miscount_nothing():
    data_set = make_data_set(max_records=100)
    put_in(data_set, aged(*(10 + n / 1_000 for n in range(6_000))))

    def clean() -> None:
        in_time(lambda: sum(store.remove_beyond(data_set.pk, 100)))
        connection.close()

    def write() -> None:
        for n in range(10):
            in_time(lambda n=n: put_in(data_set, [{"_id": f"new{n}", "_timestamp": NOW.isoformat()}]))
        connection.close()

    with ThreadPoolExecutor() as threads:
        for done in [threads.submit(work) for work in (clean, clean, write)]:
            done.result()

    sum(store.remove_beyond(data_set.pk, 100))
    assert state(data_set)[0] == data_set.records.count() == 100
    assert {f"new{n}" for n in range(10)} <= ids(data_set)


def in_time(work: Callable[[], object]) -> None:
    """Repeat the work while the lock is not free in time, like a caller that gets 503."""
    while True:
        try:
            work()
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE:
                raise
        else:
            return


@time_machine.travel(NOW, tick=False)
def test_a_preview_equals_what_a_run_removes():
    data_set = make_data_set(retention_days=10, max_records=3)
    put_in(data_set, aged(1, 2, 3, 4, 5, 11, 12))
    data_set.refresh_from_db()

    both = store.preview(data_set, days=10, newest=3)
    none = store.preview(data_set, days=40, newest=7)

    assert (both.removed, both.total, both.oldest) == (4, 7, NOW - timedelta(days=12))
    assert (none.removed, none.total, none.oldest) == (0, 7, None)
    previews = [due for name in ("records-by-age", "records-by-number") for due in rules.named(name).preview()]
    assert [(due.label, due.number) for due in previews] == [("pay/volumes", 2), ("pay/volumes", 2)]
    assert [clean_up("records-by-number").removed, clean_up("records-by-age").removed] == [2, 2]


@time_machine.travel(NOW, tick=False)
def test_records_that_are_old_and_over_the_limit_are_counted_once():
    data_set = make_data_set(retention_days=20, max_records=5)
    put_in(data_set, aged(*range(1, 31)))
    data_set.refresh_from_db()

    previews = [due.number for name in ("records-by-age", "records-by-number") for due in rules.named(name).preview()]

    assert sum(previews) == store.preview(data_set, days=20, newest=5).removed
    assert clean_up("records-by-number").removed + clean_up("records-by-age").removed == sum(previews)


@time_machine.travel(NOW, tick=False)
def test_old_records_are_accepted_and_removed_with_the_next_run():
    data_set = make_data_set(retention_days=1)
    secret = make_token(data_set, "write", "read")

    posted = call("POST", data_set, secret, aged(50))
    before = call("GET", data_set, secret)
    clean_up("records-by-age")
    after = call("GET", data_set, secret)

    assert (posted.status_code, len(before.json()["data"]), after.json()["data"]) == (200, 1, [])
    assert before.headers["ETag"] != after.headers["ETag"]


def test_idempotency_keys_are_removed_after_a_day_by_the_same_clean_up():
    data_set = make_data_set()
    for hours in (1, 25):
        row = {"key": f"k{hours}", "fingerprint": "x", "created_at": timezone.now() - timedelta(hours=hours)}
        RememberedKey.objects.create(data_set=data_set, **row)

    due = list(rules.named("data-set-keys").preview())
    row = clean_up("data-set-keys")

    assert ([each.number for each in due], row.removed) == ([1], 1)
    assert RememberedKey.objects.get().key == "k1"


def test_a_data_set_that_is_deleted_meanwhile_ends_its_part():
    data_set = make_data_set(max_records=1)
    put_in(data_set, aged(1, 2, 3))
    steps = store.remove_beyond(data_set.pk, 1)
    Record.objects.all().delete()
    data_set.delete()

    assert list(steps) == []
