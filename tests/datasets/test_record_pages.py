"""The console changes, deletes and restores one record, each with a reason."""

import json

import pytest
from django.urls import reverse

from config.audit.models import AuditEvent
from datasets.admin import records
from datasets.models import KeptValue
from tests.datasets.making import make_data_set, put_in, stored
from tests.people import browser_of, make_person

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"


@pytest.fixture
def data_set():
    made = make_data_set()
    put_in(made, [{"_id": one, "_timestamp": MOMENT, "n": 1} for one in ("a", "b")])
    return made


def page(data_set, word: str) -> str:
    return reverse(f"admin:datasets_dataset_{word}", args=[data_set.pk])


def place(data_set, record_id: str) -> str:
    return records.place(data_set, record_id)


def values(data_set) -> dict[str, object]:
    data_set.refresh_from_db()
    return {record_id: record.get("n") for record_id, record in stored(data_set).items()}


def opened(client, data_set, record_id: str) -> str:
    return client.post(page(data_set, "record"), {"open": place(data_set, record_id)}).content.decode()


def change(client, data_set, record_id: str, text: str, *, reason: str = "wrong month", tag: str | None = None):
    opening = client.post(page(data_set, "record-change"), {"open": place(data_set, record_id)})
    tag = opening.context["form"]["tag"].value() if tag is None else tag
    sent = {"open": place(data_set, record_id), "step": "save", "tag": tag, "value": text, "reason": reason}
    return client.post(page(data_set, "record-change"), sent)


def test_a_record_is_changed_with_a_reason(data_set, admin_client):
    assert "Change record…" in opened(admin_client, data_set, "a")

    answer = change(admin_client, data_set, "a", json.dumps({"_timestamp": MOMENT, "n": 2}))

    assert (answer.status_code, values(data_set)) == (302, {"a": 2, "b": 1})
    assert AuditEvent.objects.get(verb="changed_record").reason == "wrong month"
    assert "Restore this value…" in opened(admin_client, data_set, "a")
    assert "Changed and deleted records" in admin_client.get(page(data_set, "records")).content.decode()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "Enter valid JSON."),
        ("[]", "The body must be one JSON object"),
        ('{"n": 1}', "_timestamp is required."),
        ('{"_timestamp": "2024", "_x": 1}', "_x is a reserved name."),
        ('{"_timestamp": "2024-01-01T00:00:00Z", "_id": "b"}', "differs from the _id"),
    ],
)
def test_what_is_wrong_is_named_beside_the_text(data_set, admin_client, text, error):
    answer = change(admin_client, data_set, "a", text)

    assert error in answer.content.decode()
    assert "Nothing has changed." in answer.content.decode()
    assert values(data_set) == {"a": 1, "b": 1}


def test_a_reason_is_needed(data_set, admin_client):
    assert change(admin_client, data_set, "a", json.dumps({"_timestamp": MOMENT}), reason="").status_code == 200
    deleted = {"open": place(data_set, "a"), "step": "save", "reason": ""}
    assert admin_client.post(page(data_set, "record-delete"), deleted).status_code == 200
    assert values(data_set) == {"a": 1, "b": 1}


def test_a_change_of_somebody_else_is_not_overwritten(data_set, admin_client):
    answer = change(admin_client, data_set, "a", json.dumps({"_timestamp": MOMENT, "n": 3}), tag='"old"')

    assert "Somebody has changed this record" in answer.content.decode()
    assert values(data_set)["a"] == 1


def test_a_deleted_record_can_be_restored_from_its_page(data_set, admin_client):
    asked = admin_client.post(page(data_set, "record-delete"), {"open": place(data_set, "a")}).content.decode()
    assert "This deletes the record a of pay/volumes" in asked
    admin_client.post(
        page(data_set, "record-delete"), {"open": place(data_set, "a"), "step": "save", "reason": "twice"}
    )
    assert values(data_set) == {"b": 1}

    listed = admin_client.get(page(data_set, "kept-values")).content.decode()
    assert "Deleted" in listed
    assert "twice" in listed
    shown = opened(admin_client, data_set, "a")
    assert "This record was deleted." in shown

    sent = {"open": place(data_set, "a"), "kept": str(KeptValue.objects.get().pk)}
    assert "gets this value again" in admin_client.post(page(data_set, "record-restore"), sent).content.decode()
    admin_client.post(page(data_set, "record-restore"), {**sent, "step": "save", "reason": "needed"})
    assert values(data_set) == {"a": 1, "b": 1}


def test_values_of_another_data_set_cannot_be_restored(data_set, admin_client):
    other = make_data_set(type="other")
    put_in(other, [{"_id": "a", "_timestamp": MOMENT}])
    admin_client.post(page(other, "record-delete"), {"open": place(other, "a"), "step": "save", "reason": "x"})
    sent = {"open": place(data_set, "a"), "step": "save", "reason": "x"}

    for kept in (str(KeptValue.objects.get().pk), "no id"):
        answer = admin_client.post(page(data_set, "record-restore"), {**sent, "kept": kept}).content.decode()
        assert "This value is no longer kept." in answer
    assert admin_client.post(page(data_set, "record-change"), {"open": place(other, "a")}).status_code == 302


@pytest.mark.parametrize("word", ["record-change", "record-delete", "record-restore", "kept-values"])
def test_only_owners_and_managers_may(data_set, word):
    client = browser_of(make_person())

    assert client.post(page(data_set, word), {"open": place(data_set, "a")}).status_code == 403
