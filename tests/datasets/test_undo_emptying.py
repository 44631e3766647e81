"""An emptied data set can be brought back for 24 hours. What was written since then stays, and wins."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.audit import COMMAND
from config.audit.models import AuditEvent
from datasets import errors, store
from datasets.models import DataSet, EmptiedStore, Record
from tests.cleaning import clean_up
from tests.datasets.making import call, make_data_set, make_token, put_in, stored

pytestmark = pytest.mark.django_db


def records(*ids: str, n: int = 1):
    return [{"_id": one, "_timestamp": "2024-01-01T00:00:00Z", "n": n} for one in ids]


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(made, records("a", "b", "c"))
    return made


@pytest.fixture
def secret(data_set):
    return make_token(data_set)


def undo(data_set, secret):
    path = f"/data/{data_set.group}/{data_set.type}/undo"
    return Client().generic("POST", path, b"", headers={"Authorization": f"Bearer {secret}"})


def contents(data_set) -> dict[str, int]:
    data_set.refresh_from_db()
    found = {record_id: record["n"] for record_id, record in stored(data_set).items()}
    assert data_set.record_count == len(found)
    return found


def test_undo_by_api_brings_everything_back(data_set, secret):
    tag = call("GET", data_set, secret).headers["ETag"]
    call("PUT", data_set, secret, [])

    answer = undo(data_set, secret)

    message = "pay_volumes contains 3 records again"
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "restored": 3, "message": message})
    assert contents(data_set) == {"a": 1, "b": 1, "c": 1}
    assert call("GET", data_set, secret).headers["ETag"] != tag
    assert AuditEvent.objects.get(verb="undid_emptying").after["records"] == 3


def test_what_was_written_since_stays_and_wins(data_set, secret):
    call("PUT", data_set, secret, [])
    put_in(data_set, records("b", "new", n=2))

    assert undo(data_set, secret).json()["restored"] == 2
    assert contents(data_set) == {"a": 1, "b": 2, "c": 1, "new": 2}
    assert clean_up("emptied-records").removed == 2
    assert contents(data_set) == {"a": 1, "b": 2, "c": 1, "new": 2}


def test_the_newer_of_two_emptyings_is_undone_first(data_set, secret):
    call("PUT", data_set, secret, [])
    put_in(data_set, records("second", n=2))
    call("PUT", data_set, secret, [])
    call("PUT", data_set, secret, [])  # of an empty data set: it keeps what the earlier ones hold

    undo(data_set, secret)
    assert contents(data_set) == {"second": 2}
    undo(data_set, secret)
    assert contents(data_set) == {"a": 1, "b": 1, "c": 1, "second": 2}
    assert undo(data_set, secret).status_code == 409


def test_nothing_to_undo(data_set, secret):
    answer = undo(data_set, secret)

    assert (answer.status_code, answer.json()["status"]) == (409, "error")
    assert "nothing to undo" in answer.json()["message"]


def test_records_that_were_brought_back_at_the_last_moment_are_not_deleted(data_set):
    other = make_data_set(type="visits")
    put_in(other, records("d"))
    for one in (other, data_set):
        store.empty(DataSet.objects.get(pk=one.pk), by=COMMAND)
    EmptiedStore.objects.update(emptied_at=timezone.now() - timedelta(hours=25))
    steps = store.delete_emptied()
    next(steps)  # the clean-up has read both rows
    EmptiedStore.objects.filter(data_set=data_set).update(emptied_at=timezone.now())
    assert store.undo(DataSet.objects.get(pk=data_set.pk), by=COMMAND) == 3

    assert list(steps) == []

    assert set(stored(data_set)) == {"a", "b", "c"}


def test_after_24_hours_the_records_are_deleted(data_set, secret):
    call("PUT", data_set, secret, [])
    EmptiedStore.objects.update(emptied_at=timezone.now() - timedelta(hours=23))
    assert clean_up("emptied-records").removed == 0

    EmptiedStore.objects.update(emptied_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert undo(data_set, secret).status_code == 409
    assert clean_up("emptied-records").removed == 3
    assert not Record.objects.exists()


@pytest.mark.parametrize("kind", ["read", "none"])
def test_undo_needs_a_write_token(data_set, kind):
    store.empty(data_set, by=COMMAND)
    token = make_token(data_set, "read") if kind == "read" else ""

    assert undo(data_set, token).status_code == (403 if kind == "read" else 401)
    assert contents(data_set) == {}


def test_the_console_offers_undo_and_deletion_for_good(data_set, admin_client):
    overview = reverse("admin:datasets_dataset_overview", args=[data_set.pk])
    assert "Undo emptying" not in admin_client.get(overview).content.decode()
    store.empty(data_set, by=COMMAND)
    page = admin_client.get(overview).content.decode()
    assert "3 records were removed" in page

    undoing = reverse("admin:datasets_dataset_undo-emptying", args=[data_set.pk])
    assert "Bring back 3 records" in admin_client.get(undoing).content.decode()
    assert admin_client.post(undoing).status_code == 302
    assert contents(data_set) == {"a": 1, "b": 1, "c": 1}
    assert "There is nothing to undo" in admin_client.get(undoing).content.decode()

    store.empty(data_set, by=COMMAND)
    forget = reverse("admin:datasets_dataset_forget", args=[data_set.pk])
    admin_client.post(forget, {"name": "pay/volumes"})
    with pytest.raises(errors.NothingToUndo):
        store.undo(DataSet.objects.get(pk=data_set.pk), by=COMMAND)
    assert clean_up("emptied-records").removed == 3
