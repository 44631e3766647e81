"""The erasure of a person finds and deletes records in data sets that are marked as personal, and only there."""

import io
import json

import pytest
from django.core.management import call_command

from config.audit import COMMAND
from config.audit.models import AuditEvent
from datasets import store
from datasets.models import DataSet, FieldSeen, KeptValue, Record, RejectedRecord, StoredAnswer
from datasets.saved_queries import answering
from datasets.store import fields_seen, one_record
from datasets.store.one_record import RecordEdit
from notifications.one_person import kinds
from notifications.one_person.person import Person
from tests.datasets.making import call, make_data_set, make_token, put_in, stored
from tests.datasets.saved_queries.making import save
from tests.factories import make_service

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"
ANN, PHONE = "ann@example.org", "07700 900123"


def record(record_id: str, **fields):
    return {"_id": record_id, "_timestamp": MOMENT, **fields}


def fill(data_set) -> None:
    """Store the person in records, an `_id`, an earlier value, a rejected and an emptied record."""
    put_in(data_set, [record("emptied", mail=ANN), record("emptied-other", mail="joann@example.org")])
    store.empty(data_set, by=COMMAND)
    put_in(
        data_set,
        [
            record("plain", mail="ANN@example.org"),
            record("ann@example.org/2"),
            record("nested", call={"numbers": ["+44 7700 900123"]}),
            record("number", phone=447700900123),
            record("kept", mail=ANN),
            record("other", mail="joann@example.org", phone="07700 900124"),
        ],
    )
    found = DataSet.objects.get(pk=data_set.pk)
    one_record.delete(found, "kept", RecordEdit(by=COMMAND))
    rejected = [{"mail": ANN}, {"mail": "bo@example.org"}, {"phone": PHONE}]
    assert call("POST", data_set, make_token(data_set), rejected, query="on_error=keep").status_code == 207
    fields_seen.note(DataSet.objects.get(pk=data_set.pk))


def erase(recipient: str) -> str:
    output = io.StringIO()
    call_command("erase_recipient", recipient, "--yes", "--case", "DPR-1", stdout=output)
    return output.getvalue()


def everything(data_set) -> str:
    kept = [row.value().fields() for row in KeptValue.objects.filter(data_set=data_set)]
    rejected = [row.element().text for row in RejectedRecord.objects.filter(data_set=data_set)]
    rows = list(Record.objects.values_list("record_id", "body"))
    seen = list(FieldSeen.objects.filter(data_set=data_set).values_list("example", flat=True))
    learned = store.schemas.current(data_set).learned
    return json.dumps([kept, rejected, rows, seen, learned])


def test_records_of_a_personal_data_set_are_deleted():
    data_set = make_data_set(personal=True)
    fill(data_set)
    before = DataSet.objects.get().revision

    assert "records: 5" in erase(ANN)

    assert set(stored(data_set)) == {"nested", "number", "other"}
    found = DataSet.objects.get()
    assert (found.record_count, found.revision > before) == (3, True)
    assert "ann@example.org" not in everything(data_set).lower().replace("joann@example.org", "")
    assert AuditEvent.objects.get(verb="erased_person").after["records"] == 5
    store.undo(found, by=COMMAND)
    assert set(stored(data_set)) == {"nested", "number", "other", "emptied-other"}


def test_a_phone_number_is_found_in_every_spelling():
    data_set = make_data_set(personal=True)
    fill(data_set)

    assert "records: 3" in erase(PHONE)

    assert set(stored(data_set)) == {"plain", "ann@example.org/2", "other"}
    assert RejectedRecord.objects.count() == 2


def test_escaped_letters_in_a_body_hide_nobody():
    data_set = make_data_set(personal=True)
    escaped = b'"mail": "ann\\u0040example.org", "n": ' + b"9" * 5_000  # Python reads no number of so many digits
    body = b'[{%s}, {"_timestamp": "%s", "_id": "good", "mail": "a\\u006en@example.org"}]' % (escaped, MOMENT.encode())
    assert call("POST", data_set, make_token(data_set), body, query="on_error=keep").status_code == 207

    assert "records: 2" in erase(ANN)

    assert not RejectedRecord.objects.exists()


def test_answers_of_saved_queries_with_the_person_as_a_group_are_deleted():
    data_set = make_data_set(personal=True)
    put_in(data_set, [record("plain", mail=ANN)])
    by_person = save(data_set, {"split": "mail", "range": {"kind": "all"}})
    assert ANN in str(answering.answer(by_person).rows)

    erase(ANN)

    assert not StoredAnswer.objects.exists()


def test_other_data_sets_are_not_searched():
    data_set = make_data_set()
    fill(data_set)

    assert "records" not in erase(ANN)

    assert "plain" in stored(data_set)
    assert KeptValue.objects.exists()


def test_they_are_counted_and_exported(tmp_path):
    data_set = make_data_set(personal=True)
    fill(data_set)
    file = tmp_path / "ann.json"
    output = io.StringIO()
    call_command("erase_recipient", ANN, "--export", str(file), "--yes", stdout=output)

    assert "Records of data sets: 5" in output.getvalue()
    exported = json.loads(file.read_text())["records"]
    assert sorted(one["state"] for one in exported) == ["earlier value", "emptied", "rejected", "stored", "stored"]
    assert {one["data_set"] for one in exported} == {"pay/volumes"}
    assert any("ANN@example.org" in one["content"] for one in exported)


def test_a_search_in_one_service_does_not_see_data_sets():
    data_set = make_data_set(personal=True)
    fill(data_set)

    assert kinds.counts(Person.parse(ANN, make_service()))["records"] == 0
    assert kinds.counts(Person.parse(ANN))["records"] == 5
