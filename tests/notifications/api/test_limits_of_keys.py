"""Keys that are limited to networks and to templates."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.utils import timezone

from notifications.models import ApiKey, BulkSend, KeyCounter, KeyType, Notification
from notifications.submission import ttl_cache
from tests.factories import make_api_key, make_template
from tests.notifications.calling import make_caller, messages

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller():
    return make_caller()


def limit(caller, **limits):
    ApiKey.objects.filter(pk=caller.key.pk).update(**limits)
    ttl_cache.clear()


def send(caller, template, ip_address="192.0.2.7", **more):
    body = {"email_address": "ana@example.org", "template_id": str(template.pk), "personalisation": {"name": "Ana"}}
    headers = {"Authorization": caller.authorization()}
    client = Client(REMOTE_ADDR=ip_address, **more)
    return client.post("/v2/notifications/email", body, content_type="application/json", headers=headers)


@pytest.mark.parametrize(
    ("networks", "ip_address", "status"),
    [
        ([], "198.51.100.1", 201),
        (["192.0.2.0/24"], "192.0.2.7", 201),
        (["2001:db8::/32", "192.0.2.7/32"], "192.0.2.7", 201),
        (["2001:db8::/32"], "2001:db8::1", 201),
        (["192.0.2.0/24"], "198.51.100.1", 403),
        (["192.0.2.0/24"], "2001:db8::1", 403),
    ],
)
def test_a_key_works_only_from_its_networks(caller, networks, ip_address, status):
    limit(caller, allowed_networks=networks)

    response = send(caller, make_template(caller.service), ip_address)

    assert response.status_code == status
    if status == 403:
        assert messages(response) == [f"Invalid token: this API key may not be used from {ip_address}"]
        assert not Notification.objects.exists()


def statuses(caller, template, number):
    return [send(caller, template).status_code for _ in range(number)]


@pytest.mark.usefixtures("noon")
def test_a_key_sends_at_most_its_messages_of_a_day():
    caller = make_caller()
    limit(caller, daily_limit=2)
    template = make_template(caller.service)

    assert statuses(caller, template, 3) == [201, 201, 429]

    refused = send(caller, template)
    assert messages(refused) == ["Exceeded the limit of this API key (2 messages) for today"]
    assert refused.headers["Retry-After"] == str(12 * 3600)
    assert Notification.objects.count() == 2
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=False):
        assert statuses(caller, template, 3) == [201, 201, 429]
    assert KeyCounter.objects.get().count == 2


def test_the_limit_of_one_key_concerns_no_other_key_and_no_test_key():
    caller = make_caller()
    template = make_template(caller.service)
    limit(caller, daily_limit=1)
    test_caller = make_caller(caller.service, key_type=KeyType.TEST)
    limit(test_caller, daily_limit=1)
    other = make_caller(caller.service)

    assert statuses(caller, template, 2) == [201, 429]
    assert statuses(other, template, 2) == [201, 201]
    assert statuses(test_caller, template, 2) == [201, 201]


def test_a_message_over_the_limit_of_the_service_does_not_count_for_the_key():
    caller = make_caller(daily_limit_email=1)
    limit(caller, daily_limit=5)

    assert statuses(caller, make_template(caller.service), 2) == [201, 429]
    assert KeyCounter.objects.get().count == 1


def test_a_bulk_send_counts_with_all_its_rows_or_is_refused():
    caller = make_caller()
    limit(caller, daily_limit=3)
    template = make_template(caller.service, content="Hello")
    rows = [["email address"], ["a@example.org"], ["b@example.org"]]
    body = {"template_id": str(template.pk), "name": "two", "rows": rows}

    accepted = caller.post("/v2/notifications/bulk", body)
    refused = caller.post("/v2/notifications/bulk", {**body, "name": "again"})
    dry = caller.post("/v2/notifications/bulk?dry_run=true", body)

    assert (accepted.status_code, refused.status_code) == (201, 429)
    assert messages(refused) == ["Exceeded the limit of this API key (3 messages) for today"]
    assert [one["check"] for one in dry.json()["checks"] if one["ok"] is False] == ["daily_limit"]
    assert BulkSend.objects.count() == 1
    assert KeyCounter.objects.get().count == 2


@pytest.mark.django_db(transaction=True)
def test_parallel_messages_never_exceed_the_limit_of_a_key():
    key = make_api_key(daily_limit=5)
    day = timezone.now().date()

    def spend(_):
        try:
            return KeyCounter.objects.spend(key.pk, day, 1, limit=5)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(spend, range(12))) == 5


def test_a_forged_header_does_not_change_the_network(caller):
    limit(caller, allowed_networks=["192.0.2.0/24"])

    response = send(caller, make_template(caller.service), "198.51.100.1", HTTP_X_FORWARDED_FOR="192.0.2.7")

    assert response.status_code == 403


def test_behind_a_proxy_the_network_of_the_caller_counts(caller, settings):
    settings.TRUSTED_PROXIES = 1
    limit(caller, allowed_networks=["192.0.2.0/24"])
    template = make_template(caller.service)

    assert send(caller, template, "10.0.0.1", HTTP_X_FORWARDED_FOR="192.0.2.7").status_code == 201
    assert send(caller, template, "192.0.2.7", HTTP_X_FORWARDED_FOR="198.51.100.1").status_code == 403


def test_a_key_sends_only_its_templates(caller):
    mine, other = make_template(caller.service), make_template(caller.service)
    limit(caller, allowed_templates=[str(mine.pk)])

    assert send(caller, mine).status_code == 201
    refused = send(caller, other)

    assert (refused.status_code, messages(refused)) == (403, ["This API key may not use this template"])


def test_a_bulk_send_and_a_dry_run_have_the_same_limit(caller):
    mine, other = make_template(caller.service), make_template(caller.service)
    limit(caller, allowed_templates=[str(mine.pk)])
    table = [["email address", "name"], ["ana@example.org", "Ana"]]

    bulk = caller.post("/v2/notifications/bulk", {"template_id": str(other.pk), "name": "x", "rows": table})
    dry = caller.post(
        "/v2/notifications/email?dry_run=true", {"email_address": "ana@example.org", "template_id": str(other.pk)}
    )

    dry_bulk = caller.post(
        "/v2/notifications/bulk?dry_run=true", {"template_id": str(other.pk), "name": "x", "rows": table}
    )

    assert bulk.status_code == 403
    for run in (dry, dry_bulk):
        assert [check["check"] for check in run.json()["checks"] if check["ok"] is False] == ["template"]


def test_a_key_describes_itself_without_its_secret(caller):
    limit(caller, allowed_networks=["127.0.0.0/8"], allowed_templates=["99309e09-88b3-402f-8eec-450fe9dc451a"])

    response = caller.get("/v2/api-key")

    key = ApiKey.objects.get()
    assert response.json() == {
        "id": str(key.pk),
        "name": key.name,
        "type": "live",
        "service": {"id": str(key.service_id), "name": key.service.name, "is_live": True},
        "manages_templates": False,
        "daily_limit": None,
        "allowed_networks": ["127.0.0.0/8"],
        "allowed_templates": ["99309e09-88b3-402f-8eec-450fe9dc451a"],
        "created_at": key.created_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "expires_at": None,
    }
    assert key.secret not in response.content.decode()
