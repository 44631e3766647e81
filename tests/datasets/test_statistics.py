"""The data sets of the group `signalbox`: filled by the product, read like any other, written by nobody else."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pytest
import time_machine
from django.db.models import F
from django.test import Client

from config import areas
from config.audit.models import AuditEvent
from config.invalid import InvalidValue
from config.statistics import StatisticsSource
from datasets import errors, store, tasks
from datasets.admin.access import data_sets_of_user
from datasets.management import provision
from datasets.models import DataGroup, DataSet
from datasets.saved_queries import binding, deriving
from notifications.jobs import counting
from notifications.models import Channel, HourlyCount, KeyType, Notification, Role, Status
from tests.cleaning import clean_up
from tests.datasets.making import call, make_data_set, make_token, stored
from tests.datasets.saved_queries.making import save
from tests.datasets.test_admin import nonce
from tests.factories import make_notification, make_service, make_template
from tests.people import browser_of, join, make_person

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 7, 20, 12, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


def fill() -> DataSet:
    counting.count_recent()
    tasks.store_statistics()
    return DataSet.objects.at("signalbox", "messages").get()


def deliver(**fields: Any) -> Notification:
    template = fields.pop("template", None) or make_template(make_service(name="Tides"), Channel.SMS, name="Gate code")
    values = {
        "status": Status.DELIVERED, "provider": "smpp 1", "created_at": NOW, "due_at": NOW, "sent_at": NOW,
        "completed_at": NOW + timedelta(seconds=4), "parts": 2, "rate_multiplier": 3,
    }  # fmt: skip
    return make_notification(template, **{**values, **fields})


def test_a_record_has_the_figures_of_an_hour_and_no_recipient(settings: Any) -> None:
    settings.SMS_RATE = Decimal("0.02")
    message = deliver()

    records = stored(fill())

    service, template = message.service_id, message.template_id
    (record,) = records.values()
    assert {name: value for name, value in record.items() if not name.startswith("_")} == {
            "service": "Tides", "service_id": str(service), "channel": "sms",
            "template": "Gate code", "template_id": str(template), "key_type": "live", "status": "delivered",
            "provider": "smpp 1", "count": 1, "parts": 6, "cost": 0.12, "seconds_p50": 4, "seconds_p95": 4,
    }  # fmt: skip
    assert record["_id"] == f"2026-07-20T12Z/{service}/{template}/live/delivered/smpp%201"
    assert record["_timestamp"] == "2026-07-20T12:00:00Z"


def test_a_status_that_changes_later_updates_its_hour(clock: time_machine.Traveller) -> None:
    message = deliver(status=Status.SENDING, completed_at=None)
    fill()
    clock.shift(timedelta(hours=5))
    Notification.objects.filter(pk=message.pk).update(status=Status.DELIVERED, completed_at=NOW)

    records = stored(fill()).values()

    assert {record["status"]: record["count"] for record in records} == {"sending": 0, "delivered": 1}
    assert {record["_timestamp"] for record in records} == {"2026-07-20T12:00:00Z"}


def test_the_records_equal_the_messages_and_outlive_them(clock: time_machine.Traveller) -> None:
    template = make_template(make_service(retention_days=3))
    for number in range(30):
        status = (Status.DELIVERED, Status.TECHNICAL_FAILURE, Status.SENT)[number % 3]
        at = NOW - timedelta(hours=number)
        deliver(template=template, status=status, created_at=at, key_type=list(KeyType)[number % 3])
    counted = Notification.objects.exclude(key_type=KeyType.TEST)
    expected = Counter(one.status for one in counted)

    def sums() -> Counter[str]:
        found = Counter[str]()
        for record in stored(fill()).values():
            found[record["status"]] += record["count"]
        return found

    before = sums()
    clock.shift(timedelta(days=6))
    clean_up("old-messages")

    assert before == sums() == expected
    assert not Notification.objects.exists()


def test_the_api_groups_the_records_like_those_of_any_data_set() -> None:
    template = make_template(make_service())
    for seconds in (1, 2, 3):
        deliver(template=template, completed_at=NOW + timedelta(seconds=seconds))
    data_set = fill()

    answer = call("GET", data_set, make_token(data_set, "read"), query="group_by=status&collect=count:sum")

    (row,) = answer.json()["data"]
    assert (row["status"], row["count:sum"], answer.status_code) == ("delivered", 3, 200)


def test_a_run_without_a_change_writes_nothing() -> None:
    deliver()
    before = fill().revision

    assert fill().revision == before


def test_a_run_that_dies_between_the_records_and_its_note_repeats_the_records() -> None:
    deliver()
    data_set = fill()
    HourlyCount.objects.update(recorded_version=0)

    fill()

    assert len(stored(data_set)) == 1
    assert not HourlyCount.objects.to_record().exists()


def test_a_count_that_changes_while_it_is_stored_is_stored_again() -> None:
    deliver()
    counting.count_recent()
    (source,) = [one for one in areas.parts(StatisticsSource) if one.type == "messages"]
    records = source.changed(10)
    HourlyCount.objects.update(version=F("version") + 1)

    source.stored(records)

    assert len(source.changed(10)) == 1


def test_nobody_else_writes_or_empties(console: Client) -> None:
    deliver()
    data_set = fill()
    secret = make_token(data_set, "write", "read")
    record = {"_timestamp": "2026-07-20T12:00:00Z", "count": 9}

    for method, body, query in (("POST", record, ""), ("PUT", [], ""), ("POST", record, "dry_run=true")):
        answer = call(method, data_set, secret, body, query=query)
        assert answer.status_code == 403
        assert "Signalbox fills this data set" in answer.content.decode()
    for word in ("empty", "delete-where", "imports", "record-change", "record-delete", "rejected-retry", "schema"):
        answer = console.post(f"/admin/datasets/dataset/{data_set.pk}/{word}/", {"name": "signalbox/messages"})
        assert "Signalbox fills this data set" in answer.content.decode(), word
    query = save(make_data_set(), {"range": {"kind": "all"}}, stored_in=data_set, stored_every="hour")
    with pytest.raises(errors.FilledBySignalbox):
        deriving.store_rows(query, now=NOW)
    assert len(stored(data_set)) == 1


def test_a_member_who_does_not_manage_the_service_reads_no_statistics_in_any_way() -> None:
    message = deliver()
    data_set, own = fill(), make_data_set(type="own")
    mia, record = make_person("mia"), quote(next(iter(stored(data_set))), safe="")
    join(mia, message.service, *(role for role in Role if role != Role.MANAGE_SERVICE))
    own.owners.add(mia)
    headers = {"Authorization": f"Bearer {make_token(own, 'write', 'read')}"}
    parts = [
        "",
        "?format=csv",
        "?format=ndjson",
        "?format=parquet",
        "?group_by=service",
        f"/records/{record}",
        "/schema",
    ]

    for part in parts:
        assert Client().get(f"/data/signalbox/messages{part}", headers=headers).status_code == 403, part
    browser = browser_of(mia)
    for word in ("change", "overview", "records", "chart", "export", "activity"):
        assert browser.get(f"/admin/datasets/dataset/{data_set.pk}/{word}/").status_code == 404, word
    made = browser.get(f"/admin/datasets/savedquery/add/?data_set={data_set.pk}").content.decode()
    assert str(own) in made
    assert str(data_set) not in made
    with pytest.raises(InvalidValue, match="signalbox/messages does not exist, or you do not own it"):
        binding.check_paths(["signalbox/messages"], data_sets_of_user(mia))


def test_a_token_of_such_a_data_set_may_only_read(console: Client) -> None:
    deliver()
    data_set = fill()

    url = "/admin/datasets/accesstoken/add/"
    refused = console.post(url, {"data_set": data_set.pk, "scopes": ["write"], **nonce(console, url)})
    assert "Choose only Read." in refused.content.decode()

    console.post(url, {"data_set": data_set.pk, "scopes": ["read"], **nonce(console, url)})

    assert data_set.tokens.get().scopes == ["read"]


def test_the_name_of_the_group_is_reserved(console: Client) -> None:
    wanted = {"group": "signalbox", "type": "mine"}
    errors = areas.DocumentErrors()
    provision.apply([wanted], errors)
    url = "/admin/datasets/dataset/add/"
    page = console.post(url, {"group_name": "signalbox", "type_name": "mine", **nonce(console, url)})
    group = console.post("/admin/datasets/datagroup/add/", {"name": "signalbox"})

    assert "for the statistics of Signalbox" in errors.lines[0]
    assert "for the statistics of Signalbox" in page.content.decode()
    assert "for the statistics of Signalbox" in group.content.decode()
    assert not DataSet.objects.exists()
    assert not DataGroup.objects.exists()


def test_a_data_set_of_people_at_the_path_stays_theirs() -> None:
    theirs = make_data_set("signalbox", "messages")
    deliver()

    fill()

    assert stored(theirs) == {}
    assert call("PUT", theirs, make_token(theirs), []).status_code == 200


def test_the_data_set_is_kept_for_two_years_and_its_creation_is_audited() -> None:
    assert store.statistics.fill() == 0
    assert not DataSet.objects.exists()
    deliver()

    assert fill().retention_days == 730
    assert AuditEvent.objects.filter(verb="created", object_label="signalbox/messages").count() == 1
