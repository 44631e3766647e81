"""The demo data is the same on every machine except for its secrets, and can be created repeatedly."""

import json

import pytest

from config.audit.models import AuditEvent
from notifications.management import demo_document
from notifications.management.demo import make_demo
from notifications.models import ApiKey, BulkSend, HourlyCount, KeyType, Notification, Service, Status, Template

pytestmark = pytest.mark.django_db


def test_two_services_six_templates_and_three_keys_with_fixed_ids():
    result = make_demo({})

    assert {str(service.id): service.live for service in Service.objects.all()} == {
        demo_document.PARKS: True,
        demo_document.LIBRARY: False,
    }
    assert Template.objects.count() == 6
    assert set(ApiKey.objects.values_list("key_type", flat=True)) == {KeyType.LIVE, KeyType.TEAM, KeyType.TEST}
    assert result.variables["EMAIL_TEMPLATE"] == demo_document.EMAIL_TEMPLATE
    assert result.variables["SMS_TEMPLATE"] == demo_document.SMS_TEMPLATE
    assert result.lines == [f"Test key     NOTIFY_API_KEY={result.variables['NOTIFY_API_KEY']}"]


def test_the_key_is_a_test_key_that_works():
    key = make_demo({}).variables["NOTIFY_API_KEY"]

    row = ApiKey.objects.get(name="demo_test")
    assert key == f"demo_test-{row.service_id}-{row.secret}"
    assert row.key_type == KeyType.TEST


def test_a_second_run_changes_nothing():
    first = make_demo({})
    messages = set(Notification.objects.values_list("id", "status"))
    keys = set(ApiKey.objects.values_list("id", "revoked_at"))

    second = make_demo(first.variables)

    assert second == first
    assert set(Notification.objects.values_list("id", "status")) == messages
    assert set(ApiKey.objects.values_list("id", "revoked_at")) == keys


def test_a_lost_demo_key_is_replaced_and_the_old_one_revoked():
    lost = make_demo({}).variables["NOTIFY_API_KEY"]

    issued = make_demo({}).variables["NOTIFY_API_KEY"]

    assert issued != lost
    unrevoked = ApiKey.objects.get(name="demo_test", revoked_at=None)
    assert issued.endswith(unrevoked.secret)
    assert ApiKey.objects.filter(name="demo_test").count() == 2
    assert AuditEvent.objects.get(verb="revoked").object_label == "demo_test"


def test_a_kept_key_works_again_on_an_empty_database():
    kept = make_demo({}).variables["NOTIFY_API_KEY"]
    Service.objects.all().delete()

    assert make_demo({"NOTIFY_API_KEY": kept}).variables["NOTIFY_API_KEY"] == kept


def test_two_weeks_of_messages_have_one_bad_hour():
    make_demo({})

    days = set(Notification.objects.values_list("created_at__date", flat=True))
    failed = Notification.objects.exclude(status=Status.DELIVERED)
    assert len(days) == 14
    assert failed.count() >= 6
    assert Notification.objects.due().count() == 0


def test_the_demo_document_is_json():
    assert json.loads(json.dumps(demo_document.DOCUMENT)) == demo_document.DOCUMENT


def test_each_message_has_its_key_and_attempts():
    make_demo({})

    messages = Notification.objects.filter(bulk_row=None).select_related("api_key")
    assert {one.api_key.name for one in messages if one.api_key} == {"demo_live"}
    told = {(one.status, tuple(entry["outcome"] for entry in one.attempts), len(one.receipts)) for one in messages}
    assert told == {
        (Status.DELIVERED, ("accepted",), 0),
        (Status.TEMPORARY_FAILURE, ("accepted",), 1),
        (Status.TECHNICAL_FAILURE, ("temporary",) * 4, 0),
    }


def test_the_bulk_send_has_finished_and_its_messages_count_as_those_of_yesterday():
    make_demo({})

    bulk_send = BulkSend.objects.get()
    counted = {one["status"]: one["count"] for one in bulk_send.status_counts()}
    assert counted == {Status.DELIVERED: 37, Status.TEMPORARY_FAILURE: 2, Status.PERMANENT_FAILURE: 1}
    assert sum(HourlyCount.objects.filter(template=bulk_send.template).values_list("n", flat=True)) == 40
