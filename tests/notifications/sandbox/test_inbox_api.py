"""The inbox API for test suites: permissions, searches, and waiting for messages."""

import threading
import time
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from notifications.models import Channel, SandboxContent, SandboxMessage
from tests import factories

API = "/sandbox/api/messages"
LOCAL = {"SERVER_NAME": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1"}


def arrive(to="ana@example.org", notification_id=None, channel=Channel.EMAIL, **fields):
    values = {"to": to, "sender": "Tides <tides@example.org>", "text": "Dear Ana", "subject": "Hello", "html": "<p>Hi"}
    content = SandboxContent(**values | fields)
    return SandboxMessage.objects.store(notification_id or uuid.uuid4(), channel, content)


def ids(answer):
    return [one["id"] for one in answer.json()["messages"]]


@pytest.fixture
def suite(client, settings, db):
    """A test suite with the token."""
    settings.SANDBOX_TOKEN = "open-sesame"
    client.defaults["HTTP_AUTHORIZATION"] = "Bearer open-sesame"
    client.defaults["REMOTE_ADDR"] = "198.51.100.1"
    return client


def test_a_message_has_everything_that_would_have_arrived(suite):
    template = factories.make_template()
    notification = factories.make_notification(template, reference="case-7")
    arrived = arrive(notification_id=notification.pk, headers={"List-Unsubscribe": "<https://example.org/u>"})

    answer = suite.get(f"{API}/{arrived.pk}")

    assert answer.json() == {
        "id": str(arrived.pk),
        "notification_id": str(notification.pk),
        "channel": "email",
        "to": "ana@example.org",
        "from": "Tides <tides@example.org>",
        "subject": "Hello",
        "text": "Dear Ana",
        "html": "<p>Hi",
        "headers": {"List-Unsubscribe": "<https://example.org/u>"},
        "files": [],
        "reference": "case-7",
        "template": {"id": str(template.pk), "version": 1},
        "received_at": arrived.received_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }


def test_the_newest_comes_first(suite):
    first, second = arrive(), arrive()

    assert ids(suite.get(API)) == [str(second.pk), str(first.pk)]


def test_a_search_can_combine_all_parameters(suite):
    template = factories.make_template(channel=Channel.SMS)
    notification = factories.make_notification(template, reference="case-7")
    wanted = arrive("447700900123", notification.pk, Channel.SMS, subject=None, html=None)
    arrive("447700900124", factories.make_notification().pk)

    for query in (
        {"to": "07700 900 123"},
        {"ref": "case-7"},
        {"template": str(template.pk)},
        {"channel": "sms"},
        {"to": "+447700900123", "ref": "case-7", "channel": "sms", "since": "2020-01-01T00:00:00Z"},
    ):
        assert ids(suite.get(API, query)) == [str(wanted.pk)], query


def test_since_omits_older_messages(suite):
    SandboxMessage.objects.filter(pk=arrive().pk).update(received_at=timezone.now() - timedelta(hours=1))
    newer = arrive()

    since = (timezone.now() - timedelta(minutes=1)).isoformat()
    assert ids(suite.get(API, {"since": since})) == [str(newer.pk)]


def test_an_empty_reference_is_a_reference(suite):
    arrive(notification_id=factories.make_notification(reference=None).pk)
    empty = arrive(notification_id=factories.make_notification(reference="").pk)

    assert ids(suite.get(API, {"ref": ""})) == [str(empty.pk)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"channel": "fax"}, "channel must be sms or email"),
        ({"template": "x"}, "template must be the id of a template"),
        ({"since": "yesterday"}, "since must be a moment with its zone, such as 2026-03-01T09:00:00Z"),
        ({"since": "2026-03-01T09:00:00"}, "since must be a moment with its zone, such as 2026-03-01T09:00:00Z"),
        ({"since": "0001-01-01T00:00:00+23:59"}, "since must be a moment with its zone, such as 2026-03-01T09:00:00Z"),
        ({"since": "9999-12-31T23:59:59-23:59"}, "since must be a moment with its zone, such as 2026-03-01T09:00:00Z"),
        ({"since": "2026-13-01T09:00:00Z"}, "since must be a moment such as 2026-03-01T09:00:00Z"),
        ({"wait": "-1"}, "wait must be a number of seconds"),
        ({"wait": "soon"}, "wait must be a number of seconds"),
    ],
)
def test_a_wrong_parameter_is_named(suite, query, message):
    answer = suite.get(API, query)

    assert (answer.status_code, answer.json()["errors"][0]["message"]) == (400, message)


def test_waiting_ends_with_an_empty_list(suite):
    started = time.monotonic()

    answer = suite.get(API, {"to": "nobody@example.org", "wait": "1"})

    assert (answer.status_code, ids(answer)) == (200, [])
    assert time.monotonic() - started >= 1


@pytest.mark.django_db(transaction=True)
def test_waiting_ends_as_soon_as_a_message_arrives(suite):
    def later():
        time.sleep(0.5)
        arrive("bo@example.org")
        connection.close()

    thread = threading.Thread(target=later)
    thread.start()
    started = time.monotonic()
    answer = suite.get(API, {"to": "Bo@example.org", "wait": "20"})
    thread.join()

    assert len(ids(answer)) == 1
    assert time.monotonic() - started < 10


def test_removing_one_leaves_the_others(suite):
    gone, kept = arrive(), arrive()

    assert suite.delete(f"{API}/{gone.pk}").status_code == 204
    assert suite.get(f"{API}/{gone.pk}").status_code == 404
    assert ids(suite.get(API)) == [str(kept.pk)]


def test_removing_all_empties_the_inbox(suite):
    arrive()

    assert suite.delete(API).status_code == 204
    assert ids(suite.get(API)) == []


def test_other_methods_are_rejected(suite):
    answer = suite.post(API)

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, DELETE")


def test_a_message_that_cannot_be_decrypted_is_omitted(suite, settings):
    arrive()
    settings.FIELD_KEYS = ["b3RoZXItZmllbGQta2V5LWZvci10ZXN0cy0tLTMyMjI="]

    assert ids(suite.get(API)) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"HTTP_AUTHORIZATION": "Bearer wrong"}, 401),
        ({"HTTP_AUTHORIZATION": "Bearer "}, 401),
        ({"HTTP_AUTHORIZATION": "open-sesame"}, 401),
        ({"HTTP_AUTHORIZATION": "bearer open-sesame"}, 200),
    ],
    ids=["none", "wrong", "empty", "no scheme", "right"],
)
def test_other_machines_need_the_token(client, settings, db, headers, status):
    settings.SANDBOX_TOKEN = "open-sesame"

    answer = client.get(API, REMOTE_ADDR="198.51.100.1", **headers)

    assert answer.status_code == status


def test_an_empty_token_opens_nothing(client, settings, db):
    settings.SANDBOX_TOKEN = ""

    answer = client.get(API, HTTP_AUTHORIZATION="Bearer ", REMOTE_ADDR="198.51.100.1")

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("request_of", "status"),
    [
        (LOCAL, 200),
        ({**LOCAL, "SERVER_NAME": "0.0.0.0"}, 401),  # noqa: S104  a server that listens on all addresses
        ({**LOCAL, "REMOTE_ADDR": "198.51.100.1"}, 401),
        ({**LOCAL, "HTTP_X_FORWARDED_FOR": "127.0.0.1"}, 401),
        ({**LOCAL, "HTTP_FORWARDED": "for=127.0.0.1"}, 401),
        ({**LOCAL, "HTTP_X_REAL_IP": "127.0.0.1"}, 401),
        ({**LOCAL, "HTTP_VIA": "1.1 proxy"}, 401),
    ],
    ids=["this machine", "open server", "other machine", "proxy", "proxy by the standard", "nginx", "via"],
)
def test_this_machine_needs_no_token(client, settings, db, request_of, status):
    settings.ALLOWED_HOSTS = ["*"]

    assert client.get(API, **request_of).status_code == status


def test_in_production_this_machine_needs_the_token(client, settings, db):
    settings.ENVIRONMENT = "production"

    assert client.get(API, **LOCAL).status_code == 401


def test_an_inbox_that_is_off_does_not_exist(suite, settings):
    settings.SANDBOX_INBOX, settings.PROVIDERS = False, ["smtp"]

    assert suite.get(API).status_code == 404
    assert suite.get("/sandbox/").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "status", "slug"),
    [
        ("get", f"{API}?channel=fax", 400, "sandbox-parameter"),
        ("get", f"{API}?ref=%00", 400, "sandbox-parameter"),
        ("get", f"{API}?template=x", 400, "sandbox-parameter"),
        ("get", f"{API}?since=x", 400, "sandbox-parameter"),
        ("get", f"{API}?wait=x", 400, "sandbox-parameter"),
        ("get", f"{API}/7f1c3ad0-5f0e-4b8e-9d2a-0c6d5a3b1e77", 404, "no-result"),
        ("get", f"{API}/x", 404, "url-not-found"),
        ("get", "/sandbox/api/letters", 404, "url-not-found"),
        ("post", API, 405, "method-not-allowed"),
        ("put", f"{API}/7f1c3ad0-5f0e-4b8e-9d2a-0c6d5a3b1e77", 405, "method-not-allowed"),
    ],
)
def test_every_error_links_to_its_help(suite, method, path, status, slug):
    answer = getattr(suite, method)(path)

    assert answer.status_code == status
    assert answer.json()["status_code"] == status
    assert [set(error) for error in answer.json()["errors"]] == [{"error", "message"}]
    assert answer.headers["Link"].endswith(f'/docs/#errors-{slug}>; rel="help"')


def test_a_missing_token_links_to_its_help(client, settings, db):
    settings.SANDBOX_TOKEN = "open-sesame"

    answer = client.get(API, REMOTE_ADDR="198.51.100.1")

    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert answer.headers["Link"].endswith('/docs/#errors-sandbox-sign-in>; rel="help"')
