"""The pages of alarms: who sees them, the form, silencing and deleting. Source: docs/reference/alarms.md."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config.audit.models import AuditEvent
from datasets.alarms import watching
from datasets.models import Alarm, AlarmMessage, DataSet
from tests.datasets.making import make_data_set, put_in, some_records
from tests.people import browser_of, make_person

pytestmark = pytest.mark.django_db

LIST, ADD = "/admin/datasets/alarm/", "/admin/datasets/alarm/add/"


@pytest.fixture
def data_set() -> DataSet:
    return make_data_set()


def form(data_set: DataSet, **fields: Any) -> dict[str, Any]:
    values = {
        "data_set": data_set.pk, "name": "Late", "measure": "minutes", "condition": "above", "limit": "60",
        "grace_minutes": "5", "interval_minutes": "60", "quiet_from": "22:00", "quiet_until": "07:00",
        "email_addresses": "ana@example.org\r\nana@example.org\r\n", "phone_numbers": "07700 900123",
        "message": "((alarm))",
    }  # fmt: skip
    return {**values, **fields}


def page(browser: Client, alarm: Alarm, name: str = "change") -> str:
    return f"{LIST}{alarm.pk}/{name}/"


def test_an_owner_creates_an_alarm_and_others_do_not_see_it(data_set: DataSet) -> None:
    owner, stranger = make_person("ana"), make_person("jo")
    data_set.owners.add(owner)
    make_data_set("pay", "others").owners.add(stranger)
    browser = browser_of(owner)

    browser.post(ADD, form(data_set))

    alarm = Alarm.objects.get()
    assert (alarm.limit, alarm.email_addresses, alarm.phone_numbers) == (60, ["ana@example.org"], ["447700900123"])
    assert alarm.created_by == owner
    created = AuditEvent.objects.get(object_kind="alarm")
    assert (created.after["email_addresses"], created.after["phone_numbers"]) == (["a…@example.org"], ["44•••••123"])
    assert "Minutes since the last write above 60" in browser.get(LIST).content.decode()
    assert "Late" not in browser_of(stranger).get(LIST).content.decode()
    assert browser_of(stranger).get(page(browser, alarm)).status_code == 404
    refused = browser_of(stranger).post(ADD, form(data_set, name="Theirs"))
    assert refused.status_code == 200
    assert Alarm.objects.count() == 1
    assert browser_of(make_person("kay")).get(LIST).status_code == 403


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("email_addresses", "nobody", "nobody is not a valid email address."),
        ("email_addresses", "\n".join(f"p{n}@example.org" for n in range(21)), "Enter at most 20."),
        ("phone_numbers", "12", "12 is not a phone number that gets text messages."),
        ("grace_minutes", "10081", "Choose a time from 0 minutes to 7 days."),
        ("interval_minutes", "0", "greater than or equal to 1"),
        ("quiet_until", "", "Enter both times, or leave both empty."),
        ("quiet_until", "22:00", "Enter another time"),
        ("limit", "nan", "Enter a number"),
        ("message", "x" * 1001, "Use 1 to 1000 characters."),
        ("name", "x" * 101, "100"),
        ("measure", "share", "Select a valid choice"),
    ],
)
def test_an_invalid_value_is_refused_beside_its_field(
    console: Client, data_set: DataSet, field: str, value: str, error: str
) -> None:
    answer = console.post(ADD, form(data_set, **{field: value}))

    assert error in answer.content.decode()
    assert not Alarm.objects.exists()


def test_the_form_keeps_every_digit_of_a_limit_and_refuses_one_that_is_always_exceeded(
    console: Client, data_set: DataSet
) -> None:
    console.post(ADD, form(data_set, limit="1234567.25"))
    alarm = Alarm.objects.get()

    assert 'value="1234567.25"' in console.get(page(console, alarm)).content.decode()
    assert "above 1,234,567.25" in console.get(LIST).content.decode()
    refused = console.post(page(console, alarm), form(data_set, condition="beyond", limit="-10"))
    assert "Enter 0 or more." in refused.content.decode()


def test_the_same_name_twice_for_a_data_set_is_refused(console: Client, data_set: DataSet) -> None:
    for _ in range(2):
        answer = console.post(ADD, form(data_set))

    assert "already exists" in answer.content.decode()
    assert Alarm.objects.count() == 1


def test_a_muted_alarm_sends_no_message_until_it_is_unmuted(console: Client, data_set: DataSet) -> None:
    put_in(data_set, some_records(1))
    values = {"measure": "records", "condition": "above", "limit": 0, "email_addresses": ["ana@example.org"]}
    alarm = Alarm.objects.create(data_set=data_set, name="Full", **values)
    console.post(page(console, alarm, "mute"), {"hours": "4"})
    watching.check_alarms()
    alarm.refresh_from_db()
    assert alarm.muted_until is not None
    assert alarm.muted_until > timezone.now()
    assert (alarm.is_raised, AlarmMessage.objects.count()) == (True, 0)
    assert "1 alarm is raised." in console.get("/admin/").content.decode()

    console.post(page(console, alarm, "unmute"))
    watching.check_alarms()

    assert AlarmMessage.objects.count() == 1


def test_a_deleted_alarm_is_gone_with_its_messages(console: Client, data_set: DataSet) -> None:
    alarm = Alarm.objects.create(data_set=data_set, name="Full", measure="records", condition="above", limit=0)
    AlarmMessage.objects.create(alarm=alarm, channel="email", recipient="ana@example.org", subject="A", text="B")

    console.post(page(console, alarm, "remove"))

    assert Alarm.objects.count() == AlarmMessage.objects.count() == 0


def test_a_data_set_has_a_largest_number_of_alarms(console: Client, data_set: DataSet) -> None:
    rule = {"measure": "records", "condition": "above", "limit": 0}
    Alarm.objects.bulk_create(Alarm(data_set=data_set, name=f"A{number}", **rule) for number in range(100))

    answer = console.post(ADD, form(data_set))

    assert "A data set can have 100 alarms." in answer.content.decode()
    assert Alarm.objects.count() == 100
