"""One record can be read, changed, deleted and restored. Its earlier value is kept for 7 days."""

import json
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from config.audit import COMMAND
from config.audit.models import AuditEvent
from datasets import store
from datasets.models import DataSet, KeptValue, Record
from datasets.store import one_record
from datasets.store.one_record import RecordEdit
from tests.datasets.making import call, make_data_set, make_token, put_in, stored

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(made, [{"_id": one, "_timestamp": MOMENT, "n": 1} for one in ("a", "b", "c")])
    return made


@pytest.fixture
def secret(data_set):
    return make_token(data_set)


def ask(method, data_set, secret, record_id, body=None, *, query="", **headers):
    path = f"/data/{data_set.group}/{data_set.type}/records/{quote(record_id, safe='')}{query}"
    data = b"" if body is None else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {secret}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Client().generic(method, path, data, content_type="application/json", headers=sent)


def contents(data_set) -> dict[str, int]:
    data_set.refresh_from_db()
    found = {record_id: record["n"] for record_id, record in stored(data_set).items()}
    assert data_set.record_count == len(found)
    return found


def test_a_record_is_one_object_with_the_fields_of_a_raw_read(data_set, secret):
    answer = ask("GET", data_set, secret, "a")

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.json() == call("GET", data_set, secret).json()["data"][0]
    again = ask("GET", data_set, secret, "a", If_None_Match=answer.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")


def test_put_replaces_the_whole_record_and_keeps_the_earlier_value(data_set, secret):
    whole = ask("GET", data_set, secret, "a").json()
    before = call("GET", data_set, secret).headers["ETag"]

    answer = ask("PUT", data_set, secret, "a", whole | {"n": 2}, Change_Reason="wrong%20month%20%E2%80%93%20Jo")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert answer.headers["ETag"] == ask("GET", data_set, secret, "a").headers["ETag"]
    assert contents(data_set) == {"a": 2, "b": 1, "c": 1}
    assert call("GET", data_set, secret).headers["ETag"] != before
    kept = KeptValue.objects.get()
    assert (kept.change, kept.reason, kept.value().fields()["n"]) == ("changed", "wrong month – Jo", 1)
    assert b'"n":1' not in bytes(kept.encrypted_value)
    event = AuditEvent.objects.get(verb="changed_record")
    assert (event.reason, event.data_set_id) == ("wrong month – Jo", data_set.pk)


def test_fields_that_put_does_not_send_are_gone(data_set, secret):
    ask("PUT", data_set, secret, "a", {"_timestamp": "2024-02-01T00:00", "_start_at": MOMENT, "m": 1e16})

    record = ask("GET", data_set, secret, "a").json()
    assert (record["_timestamp"], record["_start_at"], record["m"]) == ("2024-02-01T00:00:00Z", MOMENT, 1e16)
    assert "n" not in record


def test_delete_removes_one_record(data_set, secret):
    answer = ask("DELETE", data_set, secret, "b")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert contents(data_set) == {"a": 1, "c": 1}
    assert ask("GET", data_set, secret, "b").status_code == 404
    assert ask("DELETE", data_set, secret, "b").status_code == 404
    assert KeptValue.objects.get().change == "deleted"


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_stale_if_match_is_412_and_changes_nothing(data_set, secret, method):
    body = {"_timestamp": MOMENT, "n": 3} if method == "PUT" else None
    tag = ask("GET", data_set, secret, "a").headers["ETag"]
    put_in(data_set, [{"_id": "a", "_timestamp": MOMENT, "n": 2}])

    for stale in (tag, '"other"', f"W/{ask('GET', data_set, secret, 'a').headers['ETag']}", "junk"):
        assert ask(method, data_set, secret, "a", body, If_Match=stale).status_code == 412
    assert contents(data_set)["a"] == 2
    assert not KeptValue.objects.exists()

    now = ask("GET", data_set, secret, "a").headers["ETag"]
    assert ask(method, data_set, secret, "a", body, If_Match=f'"x", {now}').status_code == 200


def test_any_record_matches_a_star(data_set, secret):
    assert ask("DELETE", data_set, secret, "a", If_Match="*").status_code == 200


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ([{"_timestamp": MOMENT}], "The body must be one JSON object: the whole record."),
        ("a", "The body must be one JSON object: the whole record."),
        ([], "The body must be one JSON object: the whole record."),
        ({"_timestamp": MOMENT, "_id": "b"}, "The _id in the body differs from the _id in the URL."),
        ({"_timestamp": MOMENT, "_id": None}, "The _id in the body differs from the _id in the URL."),
        ({"n": 1}, "Records refused: 1 of 1. Nothing was stored."),
    ],
)
def test_wrong_bodies(data_set, secret, body, text):
    answer = ask("PUT", data_set, secret, "a", body)

    assert (answer.status_code, answer.json()["message"]) == (400, text)
    assert contents(data_set)["a"] == 1


def test_put_makes_no_new_record(data_set, secret):
    answer = ask("PUT", data_set, secret, "new", {"_timestamp": MOMENT})

    assert (answer.status_code, answer.json()["message"]) == (404, "There is no record with this _id.")


@pytest.mark.parametrize("record_id", ["a/b", "a/", "é😀", "%41", "a?b#c", "../x", "."])
def test_any_id_can_be_in_the_path(data_set, secret, record_id):
    put_in(data_set, [{"_id": record_id, "_timestamp": MOMENT, "n": 7}])

    assert ask("GET", data_set, secret, record_id).json()["_id"] == record_id
    assert ask("PUT", data_set, secret, record_id, {"_timestamp": MOMENT, "n": 8}).status_code == 200
    assert ask("DELETE", data_set, secret, record_id).status_code == 200
    assert contents(data_set) == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize("path", ["a/", "%00", "a%0A", "x" * 3000])
def test_other_paths_have_no_record(data_set, secret, path):
    where = f"/data/{data_set.group}/{data_set.type}/records/{path}"

    answer = Client().get(where, headers={"Authorization": f"Bearer {secret}"})

    assert (answer.status_code, answer.json()["status"]) == (404, "error")


def test_methods_and_scopes(data_set, secret):
    other = ask("POST", data_set, secret, "a", [])
    assert (other.status_code, other.headers["Allow"]) == (405, "GET, HEAD, PUT, DELETE, OPTIONS")
    assert ask("OPTIONS", data_set, "", "a").headers["Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS"
    reader, writer = make_token(data_set, "read"), make_token(data_set, "write")
    body = {"_timestamp": MOMENT, "n": 5}
    assert ask("GET", data_set, writer, "a").status_code == 403
    assert ask("HEAD", data_set, reader, "a").status_code == 200
    assert ask("PUT", data_set, reader, "a", body).status_code == 403
    assert ask("DELETE", data_set, reader, "a").status_code == 403
    assert ask("DELETE", data_set, "", "a").status_code == 401
    DataSet.objects.update(public=True)
    assert ask("GET", data_set, "", "a").headers["Access-Control-Allow-Origin"] == "*"
    assert ask("DELETE", data_set, "", "a").status_code == 401
    assert contents(data_set)["a"] == 1


@pytest.mark.parametrize("reason", ["%FF", "x" * 201, "two%0Alines", "é", "%00"])
def test_a_malformed_reason_is_refused(data_set, secret, reason):
    answer = ask("DELETE", data_set, secret, "a", Change_Reason=reason)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith("Change-Reason must be percent-encoded")
    assert ask("DELETE", data_set, secret, "a", Change_Reason=quote("é" * 200)).status_code == 200


def test_a_dry_run_checks_and_stores_nothing(data_set, secret):
    body = {"_timestamp": MOMENT, "n": 5}
    answer = ask("PUT", data_set, secret, "a", body, query="?dry_run=true")
    assert answer.json() == {"status": "ok", "dry_run": True, "records": 1, "new": 0, "replaced": 1}
    answer = ask("DELETE", data_set, secret, "a", query="?dry_run=true")
    assert answer.json() == {"status": "ok", "dry_run": True, "removed": 1}

    assert ask("PUT", data_set, secret, "x", body, query="?dry_run=true").status_code == 404
    assert ask("DELETE", data_set, secret, "a", query="?dry_run=true", If_Match='"x"').status_code == 412
    assert ask("DELETE", data_set, secret, "a", query="?dry_run=yes").status_code == 400
    assert contents(data_set) == {"a": 1, "b": 1, "c": 1}
    assert not KeptValue.objects.exists()


def test_the_fields_that_make_the_id_stay(secret):
    data_set = make_data_set(type="made", auto_ids=["k"])
    token = make_token(data_set)
    put_in(data_set, [{"_timestamp": MOMENT, "k": 1, "n": 1}])
    [made] = stored(data_set)

    assert ask("PUT", data_set, token, made, {"_timestamp": MOMENT, "k": 1, "n": 2}).status_code == 200
    answer = ask("PUT", data_set, token, made, {"_timestamp": MOMENT, "k": 2, "n": 3})
    assert (answer.status_code, answer.json()["message"]) == (400, "The fields that make the _id cannot be changed.")
    assert contents(data_set) == {made: 2}

    DataSet.objects.update(auto_ids=["n"])  # records of an earlier rule keep their _id
    assert ask("PUT", data_set, token, made, {"_timestamp": MOMENT, "k": 2, "n": 3}).status_code == 200
    assert contents(data_set) == {made: 3}


def test_kept_values_can_be_restored(data_set, secret):
    ask("PUT", data_set, secret, "a", {"_timestamp": MOMENT, "n": 2})
    ask("DELETE", data_set, secret, "a")
    deleted, changed = KeptValue.objects.of_record(data_set.pk, "a")

    one_record.restore(data_set, deleted, RecordEdit(by=COMMAND, reason="by mistake"))
    assert contents(data_set) == {"a": 2, "b": 1, "c": 1}
    one_record.restore(data_set, changed, RecordEdit(by=COMMAND))

    assert contents(data_set) == {"a": 1, "b": 1, "c": 1}
    assert [one.value().fields()["n"] for one in KeptValue.objects.of_record(data_set.pk, "a")] == [2, 2, 1]
    assert AuditEvent.objects.filter(verb="restored_record").count() == 2


def test_undo_does_not_bring_back_a_record_deleted_by_itself_since_then(data_set, secret):
    store.empty(data_set, by=COMMAND)
    put_in(data_set, [{"_id": "a", "_timestamp": MOMENT, "n": 2}])
    ask("DELETE", data_set, secret, "a")

    store.undo(data_set, by=COMMAND)

    assert contents(data_set) == {"b": 1, "c": 1}


def test_values_are_kept_for_7_days(data_set, secret):
    ask("DELETE", data_set, secret, "a")
    KeptValue.objects.update(at=timezone.now() - timedelta(days=7, seconds=1))

    assert not KeptValue.objects.of_record(data_set.pk, "a").exists()


def test_two_records_of_other_data_sets_stay(data_set, secret):
    other = make_data_set(type="other")
    put_in(other, [{"_id": "a", "_timestamp": MOMENT, "n": 9}])

    ask("DELETE", data_set, secret, "a")

    assert contents(other) == {"a": 9}
    assert Record.objects.count() == 3
