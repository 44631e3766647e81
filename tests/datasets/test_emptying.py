"""A large data set is emptied by a new store: no statement deletes its records, and the clock does so later."""

import re
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations import RunPython
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.audit import COMMAND
from config.audit.models import AuditEvent
from datasets import store
from datasets.models import DataSet, EmptiedStore, Record
from tests.cleaning import clean_up
from tests.datasets.making import call, make_data_set, make_token, put_in, some_records, stored

pytestmark = pytest.mark.django_db

LARGE = 10_001


def a_day_later() -> None:
    EmptiedStore.objects.update(emptied_at=timezone.now() - timedelta(hours=25))


@pytest.fixture
def data_set() -> DataSet:
    data_set = make_data_set()
    put_in(data_set, some_records(LARGE))
    return data_set


@pytest.fixture
def secret(data_set) -> str:
    return make_token(data_set)


def test_emptying_answers_as_for_a_small_data_set_and_deletes_no_record(data_set, secret):
    with CaptureQueriesContext(connection) as captured:
        answer = call("PUT", data_set, secret, [])

    assert answer.json() == {"message": "pay_volumes now contains 0 records", "status": "ok"}
    assert not any(re.match(r"\s*DELETE FROM .datasets_record", query["sql"]) for query in captured.captured_queries)
    data_set.refresh_from_db()
    assert (data_set.record_count, data_set.records.count(), Record.objects.count()) == (0, 0, LARGE)
    assert AuditEvent.objects.get(verb="emptied").before["records"] == LARGE


def test_the_records_are_out_of_every_answer_at_once(data_set, secret):
    first = call("GET", data_set, secret, query="limit=10")
    call("PUT", data_set, secret, [])

    page = call("GET", data_set, secret, query="limit=10", If_None_Match=first.headers["ETag"])
    after = call("GET", data_set, secret, query=f"cursor={first.json()['next_cursor']}")
    span = "period=year&start_at=2024-01-01T00:00:00Z&end_at=2025-01-01T00:00:00Z&collect=n:count"

    assert (page.status_code, page.json()) == (200, {"data": [], "next_cursor": None})
    assert after.json() == {"data": [], "next_cursor": None}
    assert call("GET", data_set, secret, query="group_by=n").json() == {"data": []}
    assert call("GET", data_set, secret, query=span).json()["data"][0]["_count"] == 0
    assert call("GET", data_set, secret, query="filter_by=_id:r000001").json()["data"] == []
    assert b"".join(call("GET", data_set, secret, query="format=csv")) == b""
    assert call("PUT", data_set, secret, [], query="dry_run=true").json()["removed"] == 0


@pytest.mark.parametrize("count", [1, 300, LARGE], ids=["a handful", "a batch", "many"])
def test_records_are_written_to_the_new_store_with_the_same_ids(data_set, secret, count):
    call("PUT", data_set, secret, [])

    dry = call("POST", data_set, secret, some_records(count), query="dry_run=true").json()
    again = [call("POST", data_set, secret, some_records(count, again=True)).status_code for _ in range(2)]

    data_set.refresh_from_db()
    assert (dry["new"], dry["replaced"], again) == (count, 0, [200, 200])
    assert (data_set.record_count, len(stored(data_set))) == (count, count)


def test_an_idempotency_key_outlives_emptying(data_set, secret):
    call("POST", data_set, secret, some_records(1), Idempotency_Key="k")
    call("PUT", data_set, secret, [])

    assert call("POST", data_set, secret, some_records(1), Idempotency_Key="k").headers["Idempotent-Replay"] == "true"
    assert call("GET", data_set, secret).json()["data"] == []


def test_the_clean_up_deletes_emptied_records_and_no_others(data_set, secret):
    other = make_data_set(type="other")
    put_in(other, some_records(3))
    call("PUT", data_set, secret, [])
    put_in(data_set, some_records(2))
    a_day_later()

    first = clean_up("emptied-records").removed
    second = clean_up("emptied-records").removed

    data_set.refresh_from_db()
    assert (first, second) == (LARGE, 0)
    assert (len(stored(data_set)), len(stored(other)), Record.objects.count()) == (2, 3, 5)
    assert not EmptiedStore.objects.exists()


def test_a_clean_up_that_ended_early_continues(data_set):
    store.empty(data_set, by=COMMAND)
    a_day_later()
    next(store.delete_emptied())
    left = Record.objects.count()

    assert 0 < left < LARGE
    assert clean_up("emptied-records").removed == left


def test_a_data_set_is_emptied_again_and_again(data_set, secret):
    for _ in range(2):
        call("PUT", data_set, secret, [])
        put_in(data_set, some_records(LARGE))
    call("PUT", data_set, secret, [])

    stores = list(EmptiedStore.objects.order_by("pk").values_list("store_id", "records"))
    assert [records for _, records in stores] == [LARGE] * 3
    assert len({store_id for store_id, _ in stores}) == 3
    a_day_later()
    assert clean_up("emptied-records").removed == 3 * LARGE


def test_retention_keeps_to_the_new_store(data_set):
    store.empty(data_set, by=COMMAND)
    put_in(data_set, [{"_timestamp": f"2024-01-0{day}T00:00:00Z"} for day in range(1, 6)])
    data_set.refresh_from_db()

    assert store.preview(data_set, days=None, newest=2).removed == 3
    assert store.would_remove(DataSet.objects.all(), days=1, newest=None) == 5
    assert sum(store.remove_beyond(data_set.pk, 2)) == 3
    assert sum(store.remove_old(data_set.pk, 1)) == 2
    data_set.refresh_from_db()
    assert data_set.record_count == 0


def test_a_deleted_data_set_leaves_its_emptied_records_to_the_clean_up(data_set):
    store.empty(data_set, by=COMMAND)
    data_set.refresh_from_db()
    data_set.delete()

    assert clean_up("emptied-records").removed == LARGE


def test_the_reverse_migration_gives_the_previous_release_the_current_records(data_set):
    """Run the step of the migration that changes records. `config/test_upgrades.py` has the whole way back."""
    store.empty(data_set, by=COMMAND)
    put_in(data_set, some_records(7))
    operations = import_module("datasets.migrations.0002_stores").Migration.operations
    (step,) = [one for one in operations if isinstance(one, RunPython)]

    step.reverse_code(apps, connection.schema_editor())

    assert Record.objects.filter(store_id=data_set.pk).count() == Record.objects.count() == 7
