"""Owners see rejected records, download them, and store them once they are corrected."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from config.audit import COMMAND
from config.audit.models import AuditEvent
from datasets.models import RejectedRecord
from datasets.store import schemas
from tests.datasets.making import call, make_data_set, make_token, stored
from tests.people import browser_of, make_person

pytestmark = pytest.mark.django_db
MOMENT = "2024-01-01T00:00:00Z"


@pytest.fixture
def data_set():
    made = make_data_set()
    body = b'[{"_timestamp": "yesterday",\n "_id": "a", "_x": 1}, 5, {"n": 1e400}]'
    assert call("POST", made, make_token(made), body, query="on_error=keep").status_code == 207
    return made


def page(data_set, word: str) -> str:
    return reverse(f"admin:datasets_dataset_{word}", args=[data_set.pk])


def first(data_set) -> str:
    return f"{page(data_set, 'rejected-record')}?id={RejectedRecord.objects.waiting(data_set.pk).first().pk}"


def test_the_tab_lists_them_with_their_reasons(data_set, admin_client):
    text = admin_client.get(page(data_set, "rejected")).content.decode()

    assert "3 rejected records of the last 7 days" in text
    assert "must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z and 1 more" in text
    assert "must be an object" in text


def test_an_empty_tab_leads_developers_to_how_records_get_there(admin_client):
    other = make_data_set(type="other")

    empty = admin_client.get(page(other, "rejected")).content.decode()

    assert f'href="{page(other, "tokens")}#keep"' in empty
    assert "on_error" not in empty
    assert "?on_error=keep" in admin_client.get(page(other, "tokens")).content.decode()


def test_a_long_list_has_pages(admin_client):
    other = make_data_set(type="other")
    body = [{"number": number} for number in range(60)]
    call("POST", other, make_token(other), body, query="on_error=keep")

    answer = admin_client.get(page(other, "rejected"))
    more = admin_client.get(f"{page(other, 'rejected')}?after={answer.context['after']}")

    assert [one.row.index for one in answer.context["rows"]] == list(range(50))
    assert [one.row.index for one in more.context["rows"]] == list(range(50, 60))
    assert admin_client.get(f"{page(other, 'rejected')}?after=x").status_code == 200


def test_a_corrected_record_is_stored(data_set, admin_client):
    shown = admin_client.get(first(data_set)).content.decode()
    assert "_x is a reserved name." in shown
    assert "yesterday" in shown

    wrong = admin_client.post(first(data_set), {"value": '{"_timestamp": "today"}'}).content.decode()
    assert "_timestamp must be an ISO 8601 date-time" in wrong
    assert RejectedRecord.objects.count() == 3
    right = json.dumps({"_timestamp": MOMENT, "_id": "a", "n": 1})
    answer = admin_client.post(first(data_set), {"value": right})

    assert (answer.status_code, stored(data_set)["a"]["n"]) == (302, 1)
    assert RejectedRecord.objects.count() == 2
    assert AuditEvent.objects.filter(verb="retried_record").exists()


def test_all_can_be_tried_again_after_a_change_of_the_schema(admin_client):
    other = make_data_set(type="other")
    strict = {"properties": {"n": {"type": "integer"}}}
    schemas.set_schema(other, strict, "enforce", by=COMMAND)
    body = [{"_timestamp": MOMENT, "_id": "a", "n": "x"}, {"_timestamp": MOMENT, "_id": "b", "n": 1.5}, {"n": 1}]
    assert call("POST", other, make_token(other), body, query="on_error=keep").json()["stored"] == 0
    admin_client.post(page(other, "rejected-retry"))
    assert RejectedRecord.objects.count() == 3

    schemas.set_schema(other, strict, "off", by=COMMAND)
    assert "Try 3 rejected records again" in admin_client.get(page(other, "rejected-retry")).content.decode()
    answer = admin_client.post(page(other, "rejected-retry"), follow=True)

    assert "2 rejected records stored from pay/other." in answer.content.decode()
    assert set(stored(other)) == {"a", "b"}
    assert json.loads(RejectedRecord.objects.get().element().text) == {"n": 1}


def test_the_download_has_each_record_as_it_was_sent(data_set, admin_client):
    assert "Download 3 rejected records" in admin_client.get(page(data_set, "rejected-download")).content.decode()

    lines = b"".join(admin_client.post(page(data_set, "rejected-download")).streaming_content).decode().splitlines()

    found = [json.loads(line) for line in lines]
    assert [one["index"] for one in found] == [0, 1, 2]
    assert found[0]["record"] == {"_timestamp": "yesterday", "_id": "a", "_x": 1}
    assert [error["field"] for error in found[0]["errors"]] == ["_timestamp", "_x"]
    assert lines[2].endswith('"record": {"n": 1e400}}')
    assert AuditEvent.objects.filter(verb="downloaded_rejected_records").exists()


def test_all_can_be_deleted(data_set, admin_client):
    assert "Delete 3 rejected records" in admin_client.get(page(data_set, "rejected-delete")).content.decode()
    admin_client.post(page(data_set, "rejected-delete"))

    assert not RejectedRecord.objects.exists()


def test_an_old_or_foreign_one_is_not_shown(data_set, admin_client):
    url = first(data_set)
    RejectedRecord.objects.update(at=timezone.now() - timedelta(days=8))

    assert "no longer kept" in admin_client.get(url).content.decode()
    assert "no longer kept" in admin_client.get(f"{page(data_set, 'rejected-record')}?id=x").content.decode()


@pytest.mark.parametrize(
    "word", ["rejected", "rejected-record", "rejected-retry", "rejected-download", "rejected-delete"]
)
def test_only_owners_and_managers_may(data_set, word):
    assert browser_of(make_person()).get(page(data_set, word)).status_code == 403


@pytest.mark.parametrize("word", ["rejected-retry", "rejected-download", "rejected-delete"])
def test_without_rejected_records_no_action_is_offered(admin_client, word):
    answer = admin_client.get(page(make_data_set(type="other"), word)).content.decode()

    assert "There are no rejected records." in answer
    assert "0 rejected records" not in answer
