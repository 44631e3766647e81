"""No URL, search or id causes an error in the lists of messages, files and callbacks, and in the sandbox inbox."""

from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from tests import factories
from tests.notifications.admin.test_attachments import make_file
from tests.notifications.sandbox.test_inbox_api import arrive

LISTS = {
    "notification": (
        *("status", "made", "channel__exact", "template__id__exact", "api_key__id__exact", "key_type", "provider"),
        *("origin__exact", "file", "search", "p", "e"),
    ),
    "attachment": ("state", "extension", "ends", "asks", "p"),
    "callbackdelivery": ("state__exact", "endpoint", "p"),
    "callbackendpoint": ("kind__exact", "o"),
    "unsubscriberequest": (
        "state",
        "template__id__exact",
        "created_at__year",
        "created_at__month",
        "created_at__day",
        "p",
    ),
}
ODD = ("\0", "'%", "x" * 5000, "9" * 40, "999999", "0001-01-01..9999-12-31")
FINE = {200, 302, 400, 404}


@pytest.fixture
def rows(db: None) -> None:
    message = factories.make_notification()
    make_file(service=message.service)
    factories.make_callback(message.service)
    factories.make_unsubscribe_request(message.template)
    arrive(notification_id=message.pk)


@pytest.mark.parametrize(("model", "name"), [(model, name) for model, names in LISTS.items() for name in names])
def test_a_filter_accepts_any_value(console: Client, rows: None, model: str, name: str) -> None:
    answers = {
        value: console.get(f"/admin/notifications/{model}/?{urlencode({name: value})}", follow=True).status_code
        for value in ODD
    }

    assert {value: status for value, status in answers.items() if status not in FINE} == {}


@pytest.mark.parametrize("value", ODD)
def test_a_search_accepts_any_term(console: Client, rows: None, value: str) -> None:
    for term in (value, f"to:{value} ref:{value}"):
        found = console.post(
            "/admin/notifications/notification/search/",
            {"term": term, "filters": f"made={value}", "first": value, "last": value},
            follow=True,
        )
        assert found.status_code == 200
        assert console.post("/sandbox/", {"term": term}).status_code == 200


@pytest.mark.parametrize("name", ["to", "ref", "template", "channel", "since"])
def test_a_parameter_of_the_inbox_accepts_any_value(console: Client, rows: None, name: str) -> None:
    answers = {value: console.get("/sandbox/api/messages", {name: value}).status_code for value in ODD}

    assert set(answers.values()) <= {200, 400}


@pytest.mark.parametrize("value", ODD)
def test_an_invalid_id_gets_404(console: Client, rows: None, value: str) -> None:
    for place in ("notification", "attachment", "callbackdelivery"):
        answer = console.get(f"/admin/notifications/{place}/{quote(value)}/change/", follow=True)
        assert answer.status_code == 404, place
