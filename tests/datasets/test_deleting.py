"""Records that match a condition are deleted: at most 100,000 by API, any number by a job of the console."""

from urllib.parse import urlencode

import pytest
from django.db import OperationalError
from django.db.models.signals import pre_delete
from django.test import Client
from django.urls import reverse

from config.audit import COMMAND
from config.audit.models import AuditEvent
from config.jobs.models import BulkJobRun
from config.jobs.tasks import work_on_bulk_job
from datasets import errors, store
from datasets.admin import deleting
from datasets.api import deleting as by_api
from datasets.models import DataSet, Record, Segment
from tests.datasets.making import make_data_set, make_token, put_in, stored
from tests.people import browser_of, make_person

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(
        made, [{"_id": f"r{n}", "_timestamp": MOMENT, "n": n, "kind": "odd" if n % 2 else "even"} for n in range(10)]
    )
    return made


@pytest.fixture
def secret(data_set):
    return make_token(data_set)


def ask(data_set, secret, method="DELETE", headers=None, **parameters):
    path = f"/data/{data_set.group}/{data_set.type}/records?{urlencode(parameters, doseq=True)}"
    return Client().generic(method, path, headers={"Authorization": f"Bearer {secret}", **(headers or {})})


def ids(data_set) -> set[str]:
    data_set.refresh_from_db()
    found = set(stored(data_set))
    assert data_set.record_count == len(found)
    return found


def test_a_dry_run_states_how_many_match(data_set, secret):
    answer = ask(data_set, secret, where='kind = "odd" and n > 2', dry_run="true")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "dry_run": True, "removed": 4})
    assert len(ids(data_set)) == 10


def test_matching_records_are_deleted(data_set, secret):
    revision = DataSet.objects.get().revision

    answer = ask(data_set, secret, where='kind = "odd"', headers={"Change-Reason": "doubled"})

    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "removed": 5})
    assert ids(data_set) == {"r0", "r2", "r4", "r6", "r8"}
    assert data_set.revision > revision
    event = AuditEvent.objects.get(verb="deleted_records")
    assert (event.before, event.reason) == ({"records": 5}, "doubled")
    assert ask(data_set, secret, where='kind = "odd"').json()["removed"] == 0


def test_the_audit_has_what_was_deleted_before_the_database_failed(data_set, secret):
    put_in(data_set, [{"_id": f"s{n:04}", "_timestamp": MOMENT, "n": 99} for n in range(2_500)])

    def fail(instance, **kwargs):
        if instance.record_id == "s2400":
            raise OperationalError("the disk is full")

    pre_delete.connect(fail, sender=Record)
    try:
        answer = ask(data_set, secret, where="n = 99")
    finally:
        pre_delete.disconnect(fail, sender=Record)

    assert answer.status_code == 503
    assert AuditEvent.objects.get(verb="deleted_records").before == {"records": 2_000}
    assert len(ids(data_set)) == 510


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, "where is required."),
        ({"where": ""}, "where"),
        ({"where": "n >"}, "where"),
        ({"where": ["n > 1", "n > 2"]}, "where can be given only once."),
        ({"where": "n > 1", "start_at": MOMENT}, "Unknown parameter: start_at."),
        ({"where": "n > 1", "limit": "1"}, "Unknown parameter: limit."),
        ({"where": "n > 1", "dry_run": "1"}, "dry_run must be true."),
    ],
)
def test_other_calls_delete_nothing(data_set, secret, parameters, text):
    answer = ask(data_set, secret, **parameters)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith(text)
    assert len(ids(data_set)) == 10


def test_more_than_the_limit_is_refused_as_a_whole(data_set, secret, monkeypatch):
    monkeypatch.setattr(by_api, "MAX_DELETED", 3)

    for parameters in ({}, {"dry_run": "true"}):
        answer = ask(data_set, secret, where="n < 4", **parameters)
        assert (answer.status_code, answer.json()["message"]) == (400, str(errors.TooManyToDelete()))
    assert len(ids(data_set)) == 10
    assert ask(data_set, secret, where="n < 3").json()["removed"] == 3


def test_methods_and_scopes(data_set):
    assert ask(data_set, make_token(data_set, "read"), where="n > 1").status_code == 403
    assert ask(data_set, "", where="n > 1").status_code == 401
    other = ask(data_set, make_token(data_set, "write"), "GET", where="n > 1")
    assert (other.status_code, other.headers["Allow"]) == (405, "DELETE, OPTIONS")
    assert len(ids(data_set)) == 10


def test_a_record_that_was_corrected_meanwhile_stays(data_set):
    matches = deleting._matching("n < 5")
    found = store.matching.ids_of(data_set, matches, 100)
    put_in(data_set, [{"_id": "r1", "_timestamp": MOMENT, "n": 50}])

    assert sum(store.matching.delete(data_set.pk, matches, found)) == 4
    assert "r1" in ids(data_set)


def test_undo_does_not_bring_them_back(data_set, secret):
    store.empty(data_set, by=COMMAND)
    put_in(data_set, [{"_id": "r1", "_timestamp": MOMENT, "n": 1}])
    ask(data_set, secret, where="n = 1")

    store.undo(DataSet.objects.get(), by=COMMAND)

    assert "r1" not in ids(data_set)


def test_segments_of_deleted_records_are_opened(data_set, secret):
    Segment.objects.create(
        store_id=data_set.store_id,
        starts_at="2000-01-01T00:00:00Z",
        ends_at="2025-01-01T00:00:00Z",
        is_built=True,
        file="x",
        records=10,
    )
    DataSet.objects.update(columns_until="2025-01-01T00:00:00Z")

    ask(data_set, secret, where="n = 1")

    assert not Segment.objects.get().is_built


def page(data_set) -> str:
    return reverse("admin:datasets_dataset_delete-where", args=[data_set.pk])


def test_the_console_counts_first_and_then_starts_a_job(data_set, admin_client, monkeypatch):
    monkeypatch.setattr(deleting, "_FEWEST", 1)
    asked = {"where": 'kind = "odd"', "reason": "doubled"}

    counted = admin_client.post(page(data_set), asked).content.decode()
    assert "This deletes 5 records of pay/volumes." in counted
    assert len(ids(data_set)) == 10
    unconfirmed = admin_client.post(page(data_set), {**asked, "name": "pay"}).content.decode()
    assert "Enter pay/volumes to confirm" in unconfirmed
    answer = admin_client.post(page(data_set), {**asked, "name": "pay/volumes"})

    assert answer.status_code == 302
    run = BulkJobRun.objects.get()
    work_on_bulk_job(str(run.pk))
    run.refresh_from_db()
    assert (run.error, run.changed, run.arguments["after"]) == ("", 5, "")
    assert ids(data_set) == {"r0", "r2", "r4", "r6", "r8"}
    assert AuditEvent.objects.get(verb="deleted_records").reason == "doubled"


@pytest.mark.parametrize(
    ("where", "text"), [("n >", "where"), ("n = 77", "No record matches this condition."), ("", "required")]
)
def test_what_is_wrong_is_named(data_set, admin_client, where, text):
    answer = admin_client.post(page(data_set), {"where": where, "reason": "x"}).content.decode()

    assert text in answer
    assert "Nothing was deleted." in answer


def test_a_person_who_lost_the_data_set_deletes_nothing(data_set):
    person = make_person()
    data_set.owners.add(person)
    browser_of(person).post(page(data_set), {"where": "n > 1", "reason": "x", "name": "pay/volumes"})
    run = BulkJobRun.objects.get()
    data_set.owners.clear()

    work_on_bulk_job(str(run.pk))

    assert len(ids(data_set)) == 10


def test_only_owners_and_managers_may(data_set):
    assert browser_of(make_person()).get(page(data_set)).status_code == 403
