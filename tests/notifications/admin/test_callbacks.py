"""Callbacks in the console: creation, test events, the secret that is shown once, pausing, and the delivery log."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.forms import model_to_dict
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from standardwebhooks import Webhook

from config.audit.models import AuditEvent
from datasets.models import DataSet
from notifications.delivery.callbacks import health
from notifications.models import (
    CallbackDelivery,
    CallbackEndpoint,
    CallbackKind,
    DeliveryState,
    Notification,
    PauseReason,
    ReceivedEmail,
    Role,
    Service,
    Status,
    TeamMember,
)
from tests import factories
from tests.datasets import making
from tests.notifications.draining import drain_callbacks
from tests.people import browser_of, colleague
from tests.receivers import Receiver

ADD = "/admin/notifications/callbackendpoint/add/"
LIST = "/admin/notifications/callbackendpoint/"
LOG = "/admin/notifications/callbackdelivery/"
SECRET = re.compile(r'value="(whsec_[^"]+)"')


@pytest.fixture
def service(db) -> Service:
    return factories.make_service(name="Tides")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def nonce_of(console: Client, page: str) -> str:
    found = re.search(r'name="nonce" value="([^"]+)"', console.get(page).content.decode())
    assert found
    return found[1]


def form(console: Client, service: Service, to: str, **fields: str) -> dict[str, str]:
    values = {"service": str(service.pk), "kind": "delivery_status", "url": to, "bearer_token": "token-0123456789"}
    return {**values, "is_signed": "on", "nonce": nonce_of(console, ADD), **fields}


def page_of(endpoint: CallbackEndpoint, step: str = "change") -> str:
    return reverse(f"admin:notifications_callbackendpoint_{step}", args=[endpoint.pk])


def owe(endpoint: CallbackEndpoint) -> CallbackDelivery:
    message = factories.make_notification(factories.make_template(endpoint.service), recipient="ana@example.com")
    Notification.objects.filter(id=message.id).advance(Status.DELIVERED, timezone.now())
    return CallbackDelivery.objects.get(notification=message)


def member(service: Service, *roles: Role) -> Client:
    user = User.objects.create_user(f"jo-{service.pk}-{len(roles)}", password="a-long-password-2", is_staff=True)
    row = factories.make_team_member(service, f"jo{len(roles)}@example.com")
    TeamMember.objects.filter(pk=row.pk).update(user=user, roles=list(roles))
    return browser_of(user)


def test_a_new_callback_has_a_secret_that_is_shown_once(console, service, receiver):
    answer = console.post(ADD, form(console, service, receiver.url))

    endpoint = CallbackEndpoint.objects.get()
    shown = SECRET.search(answer.content.decode())
    assert shown
    assert shown[1].replace("&#x3D;", "=") == endpoint.signing_secret
    assert "no-store" in answer.headers["Cache-Control"]
    assert (endpoint.url, endpoint.bearer_token, endpoint.created_by) == (
        receiver.url, "token-0123456789", "mina@example.org",
    )  # fmt: skip
    for place in (LIST, page_of(endpoint), page_of(endpoint, "history"), page_of(endpoint, "rotate")):
        page = console.get(place).content.decode()
        assert endpoint.signing_secret not in page
        assert "token-0123456789" not in page
    kept = [f"{event.before}{event.after}" for event in AuditEvent.objects.all()]
    assert kept
    assert not [text for text in kept if "whsec_" in text or "token-0123456789" in text]


def test_a_form_sent_twice_creates_one_callback(console, service, receiver):
    filled = form(console, service, receiver.url)
    console.post(ADD, filled)

    assert console.post(ADD, filled).status_code == 409
    assert CallbackEndpoint.objects.count() == 1


def test_a_callback_without_a_signature_has_no_secret(console, service, receiver):
    filled = form(console, service, receiver.url)
    del filled["is_signed"]

    answer = console.post(ADD, filled)

    endpoint = CallbackEndpoint.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, page_of(endpoint))
    assert endpoint.signing_secret is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"url": "http://hooks.example.org/"}, "The URL must start with https://."),
        ({"url": "https://10.0.0.1/"}, "The URL must not lead to a private network."),
        ({"url": "https://169.254.169.254/"}, "The URL must not lead to a private network."),
        ({"url": "https://[64:ff9b::a00:1]/"}, "The URL must not lead to a private network."),
        ({"url": "https://2130706433/"}, "The URL must contain a host name"),
        ({"url": "https://user@example.org/"}, "The URL must not contain a user name or password."),
        ({"url": f"https://{'a' * 64}.example/"}, "The host of this URL cannot be reached"),
        ({"url": ""}, "This field is required."),
        ({"bearer_token": "short"}, "Enter 10 to 2000 letters, digits or symbols"),
        ({"bearer_token": "has a blank in it"}, "Enter 10 to 2000 letters, digits or symbols"),
        ({"bearer_token": "äöü-0123456789"}, "Enter 10 to 2000 letters, digits or symbols"),
        ({"kind": "weather"}, "Select a valid choice"),
    ],
)
def test_errors_are_shown_beside_their_field(console, service, receiver, fields, words):
    answer = console.post(ADD, form(console, service, receiver.url, **fields))

    page = answer.content.decode()
    assert answer.status_code == 200
    assert words in page
    assert "token-0123456789" not in page
    assert CallbackEndpoint.objects.count() == 0


def test_a_service_has_several_callbacks_of_one_format_with_different_names(console, service, receiver):
    factories.make_callback(service, receiver.url, name="Case system")

    refused = console.post(ADD, form(console, service, receiver.url, name="Case system"))
    others = [
        console.post(ADD, form(console, service, receiver.url, kind=kind, name=kind))
        for kind in ("delivery_status", "received_text_message", "unsubscribe_request")
    ]

    assert "The service has a callback with this name already." in refused.content.decode()
    assert all(SECRET.search(other.content.decode()) for other in others)
    assert CallbackEndpoint.objects.count() == 4


def test_events_are_chosen_at_the_creation_and_changed_later(console, service, receiver):
    chosen = {"kind": "events", "name": "Case system"}
    filled = form(console, service, receiver.url, **chosen) | {"events": ["suppression.added", "message.failed"]}

    console.post(ADD, filled)
    endpoint = CallbackEndpoint.objects.get()
    assert endpoint.events == ["message.failed", "suppression.added"]
    console.post(page_of(endpoint, "events"), {"name": "Archive", "events": ["bulk_send.finished"]})

    endpoint.refresh_from_db()
    assert (endpoint.name, endpoint.events) == ("Archive", ["bulk_send.finished"])
    changed = AuditEvent.objects.get(verb="changed")
    assert changed.after == {"name": "Archive", "events": ["bulk_send.finished"]}
    assert "Bulk send finished or cancelled" in console.get(page_of(endpoint)).content.decode()


@pytest.mark.parametrize(
    ("kind", "events", "words"),
    [
        ("events", [], "Choose at least one event."),
        ("delivery_status", ["received_text"], "received_text is not an event of this kind of callback"),
        ("events", ["weather"], "Select a valid choice."),
    ],
)
def test_events_must_suit_the_format(console, service, receiver, kind, events, words):
    answer = console.post(ADD, form(console, service, receiver.url, kind=kind) | {"events": events})

    assert words in answer.content.decode()
    assert not CallbackEndpoint.objects.exists()


def data_set_of(person, type: str = "levels") -> DataSet:
    data_set = making.make_data_set("tides", type)
    data_set.owners.add(person)
    return data_set


def owner(service: Service) -> tuple[Client, User]:
    client = colleague(service, Role.MANAGE_API, name="owner")
    return client, User.objects.get(username="owner")


CHOSEN = {"kind": "events", "name": "Monitor", "events": ["data_set.late", "data_set.recovered"]}


def test_an_owner_of_a_data_set_chooses_its_events(service, receiver):
    client, person = owner(service)
    own, other = data_set_of(person), making.make_data_set("tides", "other")

    page = client.get(ADD).content.decode()
    client.post(ADD, form(client, service, receiver.url) | CHOSEN | {"data_sets": [own.pk]})

    assert "tides/levels" in page
    assert "tides/other" not in page
    endpoint = CallbackEndpoint.objects.get()
    assert (endpoint.events, endpoint.data_sets) == (CHOSEN["events"], [own.pk])
    assert "tides/levels" in client.get(page_of(endpoint)).content.decode()
    refused = client.post(page_of(endpoint, "events"), CHOSEN | {"data_sets": [own.pk, other.pk]})
    assert "Select a valid choice." in refused.content.decode()
    endpoint.refresh_from_db()
    assert endpoint.data_sets == [own.pk]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"data_sets": []}, "Choose at least one data set."),
        ({"events": ["received_text"]}, "Choose an event of data sets, or no data set."),
        ({"data_sets": ["x"]}, "Select a valid choice."),
        ({"kind": "delivery_status"}, "data_set.late is not an event of this kind of callback"),
    ],
)
def test_data_sets_must_suit_the_events(service, receiver, chosen, words):
    client, person = owner(service)
    own = data_set_of(person)

    answer = client.post(ADD, form(client, service, receiver.url) | CHOSEN | {"data_sets": [own.pk]} | chosen)

    assert words in answer.content.decode()
    assert not CallbackEndpoint.objects.exists()


def test_without_a_role_on_a_data_set_nobody_adds_it_but_may_remove_it(service, receiver):
    person = owner(service)[1]
    data_set, second = data_set_of(person), data_set_of(person, "second")
    client = colleague(service, Role.MANAGE_API, name="api")
    own_fields = {"kind": "events", "name": "Monitor"}
    answer = client.post(ADD, form(client, service, receiver.url) | CHOSEN | {"data_sets": [data_set.pk]})
    assert "Select a valid choice." in answer.content.decode()
    assert "Data set late" not in client.get(ADD).content.decode()
    events = ["message.failed", "data_set.late"]
    endpoint = factories.make_callback(service, **own_fields, events=events, data_sets=[data_set.pk])

    page = client.get(page_of(endpoint, "events")).content.decode()
    added = client.post(
        page_of(endpoint, "events"), {"name": "Monitor", "events": events, "data_sets": [data_set.pk, second.pk]}
    )
    client.post(page_of(endpoint, "events"), {"name": "Monitor", "events": ["message.failed"]})

    assert "tides/levels" in page
    assert "tides/second" not in page
    assert "Select a valid choice." in added.content.decode()
    endpoint.refresh_from_db()
    assert (endpoint.events, endpoint.data_sets) == (["message.failed"], [])
    changed = AuditEvent.objects.get(verb="changed")
    assert (changed.before or {})["data_sets"] == ["tides/levels"]
    assert "tides/levels" not in client.get(page_of(endpoint, "events")).content.decode()


def test_a_deleted_data_set_breaks_no_page(console, service):
    data_set = making.make_data_set("tides", "levels")
    endpoint = factories.make_callback(
        service, kind=CallbackKind.EVENTS, events=["data_set.late"], data_sets=[data_set.pk]
    )
    data_set.delete()

    assert "1 deleted" in console.get(page_of(endpoint)).content.decode()
    assert console.get(page_of(endpoint, "events")).status_code == 200
    answer = console.post(page_of(endpoint, "events"), {"name": "", "events": ["data_set.late"]})
    assert "Choose at least one data set." in answer.content.decode()
    console.post(page_of(endpoint, "events"), {"name": "", "events": ["message.failed"]})
    endpoint.refresh_from_db()
    assert endpoint.data_sets == []


def test_a_person_chooses_the_test_event(console, service, receiver):
    endpoint = factories.make_callback(
        service, receiver.url, kind=CallbackKind.EVENTS, events=["message.failed", "suppression.added"]
    )

    answer = console.post(page_of(endpoint, "try"), {"of_type": "suppression.added"})
    drain_callbacks()

    body = json.loads(receiver.posted[0].body)
    assert (body["type"], body["data"]["note"]) == ("suppression.added", "test event")
    assert "suppression.added" in console.get(answer["Location"]).content.decode()


def test_the_callbacks_of_requests_can_be_signed_and_paused_only(console, service):
    endpoint = factories.make_callback(service, "", kind=CallbackKind.REQUEST)
    page = console.get(page_of(endpoint)).content.decode()

    assert "As each request names it" in page
    assert ("Sign callbacks…" in page, "Pause…" in page) == (True, True)
    for step in ("edit", "try", "events", "remove"):
        assert page_of(endpoint, step) not in page
        assert console.post(page_of(endpoint, step), {}).status_code in {200, 409}
    assert CallbackEndpoint.objects.filter(pk=endpoint.pk).exists()
    assert not CallbackDelivery.objects.exists()


def test_a_post_to_the_page_of_a_callback_changes_nothing(console, service):
    endpoint = factories.make_callback(service)

    answer = console.post(page_of(endpoint), {"name": "Mine", "events": ["data_set.late"]})

    assert answer.status_code == 302
    assert model_to_dict(CallbackEndpoint.objects.get()) == model_to_dict(endpoint)


@pytest.mark.parametrize("step", ["edit", "rotate", "remove"])
def test_protected_actions_need_a_recent_sign_in(console, service, step):
    endpoint = factories.make_callback(service, "http://127.0.0.1:1/")

    with time_machine.travel(timezone.now() + timedelta(minutes=29)):
        console.get(LIST)
    with time_machine.travel(timezone.now() + timedelta(minutes=31)):
        client = Client()
        client.force_login(User.objects.get(username="mina"))
        session = client.session
        session["proved_at"] = (timezone.now() - timedelta(hours=1)).timestamp()
        session.save()
        for place in (ADD, page_of(endpoint, step)):
            answer = client.get(place)
            assert answer.status_code == 302
            assert "/admin/confirm" in answer["Location"]


def test_url_and_token_can_be_changed(console, service, receiver):
    endpoint = factories.make_callback(service, receiver.url)
    page = page_of(endpoint, "edit")
    url = f"{receiver.url.rstrip('/')}/another/path"

    kept = console.post(page, {"url": url, "bearer_token": ""})
    endpoint.refresh_from_db()
    assert (kept.status_code, endpoint.url, endpoint.bearer_token) == (302, url, "token-0123456789")

    console.post(page, {"url": receiver.url, "bearer_token": "another-0123456789"})
    endpoint.refresh_from_db()
    assert endpoint.bearer_token == "another-0123456789"

    refused = console.post(page, {"url": "https://10.0.0.1/", "bearer_token": ""})
    assert "must not lead to a private network" in refused.content.decode()
    endpoint.refresh_from_db()
    assert endpoint.url == receiver.url


def test_a_new_host_needs_the_token_again(console, service, receiver):
    endpoint = factories.make_callback(service, "http://127.0.0.1:1/")
    page = page_of(endpoint, "edit")

    refused = console.post(page, {"url": receiver.url, "bearer_token": ""})

    endpoint.refresh_from_db()
    assert "Enter the bearer token again, because the host of the URL has changed." in refused.content.decode()
    assert (endpoint.url, receiver.posted) == ("http://127.0.0.1:1/", [])

    console.post(page, {"url": receiver.url, "bearer_token": "another-0123456789"})

    endpoint.refresh_from_db()
    assert (endpoint.url, endpoint.bearer_token) == (receiver.url, "another-0123456789")


def test_a_rotated_secret_is_shown_once_and_both_sign_for_a_day(console, service, receiver):
    old = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    endpoint = factories.make_callback(service, receiver.url, signing_secret=old)
    nonce = nonce_of(console, page_of(endpoint, "rotate"))

    answer = console.post(page_of(endpoint, "rotate"), {"nonce": nonce})
    again = console.post(page_of(endpoint, "rotate"), {"nonce": nonce})

    endpoint.refresh_from_db()
    shown = SECRET.search(answer.content.decode())
    assert shown
    assert shown[1].replace("&#x3D;", "=") == endpoint.signing_secret != old
    assert again.status_code == 409
    owe(endpoint)
    drain_callbacks()
    [posted] = receiver.posted
    for secret in (old, endpoint.signing_secret):
        assert Webhook(secret).verify(posted.body, posted.headers)


def test_a_test_event_is_sent_and_its_answer_is_shown(console, service):
    with Receiver(200, reply=b"got <it>") as receiver:
        endpoint = factories.make_callback(service, receiver.url)
        assert "Send test event" in console.get(page_of(endpoint, "try")).content.decode()

        answer = console.post(page_of(endpoint, "try"))
        delivery = CallbackDelivery.objects.get()
        drain_callbacks()

    page = console.get(answer["Location"]).content.decode()
    assert str(delivery.pk) in answer["Location"]
    assert "got &lt;it&gt;" in page
    assert "test event" in page
    assert delivery.webhook_id in page


def test_pausing_keeps_events_and_resuming_sends_them(console, service, receiver):
    endpoint = factories.make_callback(service, receiver.url)

    console.post(page_of(endpoint, "pause"))
    owe(endpoint)
    drain_callbacks()

    endpoint.refresh_from_db()
    assert (endpoint.pause_reason, endpoint.paused_by) == (PauseReason.PERSON, "mina")
    assert endpoint.notify_owners_at is None  # the person who paused it knows
    assert receiver.posted == []
    assert "This callback is already paused." in console.get(page_of(endpoint, "pause")).content.decode()
    assert "1 event waiting. Resuming sends it." in console.get(page_of(endpoint, "resume")).content.decode()

    console.post(page_of(endpoint, "resume"))
    drain_callbacks()

    endpoint.refresh_from_db()
    assert (endpoint.paused_at, endpoint.pause_reason) == (None, "")
    assert len(receiver.posted) == 1
    told = [event.verb for event in AuditEvent.objects.filter(object_kind="callbackendpoint").order_by("at")]
    assert told == ["paused", "resumed"]


def test_one_event_is_sent_again_with_its_id(console, service):
    with Receiver(404, 200) as receiver:
        delivery = owe(factories.make_callback(service, receiver.url))
        drain_callbacks()
        page = reverse("admin:notifications_callbackdelivery_resend", args=[delivery.pk])
        assert "keeps its webhook-id" in console.get(page).content.decode()

        console.post(page)
        drain_callbacks()

    delivery.refresh_from_db()
    assert delivery.state == DeliveryState.ACCEPTED
    assert len({posted.headers["webhook-id"] for posted in receiver.posted}) == 1


def test_a_waiting_event_can_be_sent_now(console, service):
    with Receiver(500, 200) as receiver:
        delivery = owe(factories.make_callback(service, receiver.url))
        drain_callbacks()

        page = reverse("admin:notifications_callbackdelivery_resend", args=[delivery.pk])
        shown = console.get(page).content.decode()
        done = console.post(page, follow=True).content.decode()
        drain_callbacks()

    delivery.refresh_from_db()
    assert (delivery.state, len(receiver.posted)) == (DeliveryState.ACCEPTED, 2)
    assert "Send this event now | Signalbox</title>" in shown
    assert "Send event now</button>" in shown
    assert "The event is being sent. The response appears here." in done


def test_nothing_is_sent_again_to_a_paused_callback(console, service, receiver):
    endpoint = factories.make_callback(service, receiver.url)
    delivery = owe(endpoint)
    health.pause(endpoint, PauseReason.GONE)

    page = console.get(reverse("admin:notifications_callbackdelivery_resend", args=[delivery.pk])).content.decode()

    assert "The callback is paused" in page


def test_the_page_of_an_event_refreshes_itself_until_it_has_an_answer(console, service):
    with Receiver(500, 200) as receiver:
        endpoint = factories.make_callback(service, receiver.url)
        page = console.post(page_of(endpoint, "try"), follow=True)
        delivery = CallbackDelivery.objects.get()
        soon = {"try": page}
        drain_callbacks()
        soon["tried"] = console.get(reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk]))
        CallbackDelivery.objects.update(next_attempt_at=timezone.now() + timedelta(minutes=5))
        later = console.get(reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk]))
        CallbackDelivery.objects.update(next_attempt_at=timezone.now())
        drain_callbacks()
        done = console.get(reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk]))

    assert "The test event is being sent. The response appears here." in page.content.decode()
    shown = {name: "data-refresh" in one.content.decode() for name, one in soon.items()}
    assert shown == {"try": True, "tried": True}
    assert "data-refresh" not in later.content.decode()
    assert "data-refresh" not in done.content.decode()


def test_an_event_about_an_unsubscribe_request_is_not_called_a_test(console, service):
    endpoint = factories.make_callback(service, kind=CallbackKind.UNSUBSCRIBE_REQUEST)
    request = factories.make_unsubscribe_request(factories.make_template(service))
    delivery = CallbackDelivery.objects.create(endpoint=endpoint, unsubscribe_request=request)

    page = console.get(reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk])).content.decode()

    assert "Unsubscribe request, " in page
    assert "Test event" not in page


def test_all_failed_events_since_a_moment_are_sent_again(noon, console, service):
    with Receiver(404) as receiver:
        endpoint = factories.make_callback(service, receiver.url)
        old, new = owe(endpoint), owe(endpoint)
        drain_callbacks()
    CallbackDelivery.objects.filter(id=old.id).update(finished_at=timezone.now() - timedelta(days=2))
    page = page_of(endpoint, "resend-failed")
    assert "2 events could not be delivered" in console.get(page).content.decode()

    answer = console.post(page, {"since": "2026-11-20T11:00"}, follow=True)

    assert "1 event sent again." in answer.content.decode()
    states = dict(CallbackDelivery.objects.values_list("id", "state"))
    assert states == {old.id: DeliveryState.GIVEN_UP, new.id: DeliveryState.WAITING}
    future = console.post(page, {"since": "2999-01-01T00:00"}).content.decode()
    assert "Enter a time in the past." in future


def test_nothing_is_resent_if_no_event_failed(console, service):
    page = page_of(factories.make_callback(service), "resend-failed")

    assert "No event has failed" in console.get(page).content.decode()


def test_removing_a_callback_removes_its_log(console, service, receiver):
    endpoint = factories.make_callback(service, receiver.url)
    owe(endpoint)

    console.post(page_of(endpoint, "remove"))

    assert (CallbackEndpoint.objects.count(), CallbackDelivery.objects.count()) == (0, 0)
    assert AuditEvent.objects.get(verb="removed").before == {"kind": "delivery_status", "url": receiver.url}


def test_the_list_shows_the_state_of_a_callback(console, service):
    assert "No callbacks yet." in console.get(LIST).content.decode()
    with Receiver(200, 404) as receiver:
        endpoint = factories.make_callback(
            service, receiver.url, signing_secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        )
        for _ in range(2):
            owe(endpoint)
        drain_callbacks()

    page = console.get(LIST).content.decode()

    for words in (receiver.url, "Delivery status", "Bearer token, signed", "50% of 2", "Failing"):
        assert words in page, words
    health.pause(endpoint, PauseReason.FAILING)
    assert "Paused" in console.get(LIST).content.decode()
    assert "Every attempt failed for three days" in console.get(page_of(endpoint)).content.decode()


def test_the_log_lists_and_filters_events(console, service):
    with Receiver(503) as receiver:
        endpoint = factories.make_callback(service, receiver.url)
        delivery = owe(endpoint)
        drain_callbacks()
    other = CallbackDelivery.objects.owe_test(factories.make_callback(kind=CallbackKind.RECEIVED_TEXT_MESSAGE))

    everything = console.get(LOG).content.decode()
    filtered = console.get(f"{LOG}?endpoint={endpoint.pk}").content.decode()

    assert f"message {str(delivery.notification_id)[:8]}" in everything
    assert "503" in everything
    assert str(other.pk) in everything
    assert str(delivery.pk) in filtered
    assert str(other.pk) not in filtered
    assert console.get(f"{LOG}?endpoint=x").status_code == 200


def shown_body(client: Client, delivery: CallbackDelivery) -> dict[str, Any]:
    page = client.get(reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk])).content.decode()
    found = re.search(r'aria-label="Body of the request">(.*?)</pre>', page, re.DOTALL)
    assert found
    body: dict[str, Any] = json.loads(found[1].replace("&quot;", '"'))
    return body


def test_recipients_and_replies_need_the_permission_to_see_recipients(service):
    with Receiver(200, reply=b"echo ana@example.com") as receiver:
        delivery = owe(factories.make_callback(service, receiver.url))
        drain_callbacks()
    page = reverse("admin:notifications_callbackdelivery_change", args=[delivery.pk])
    sees, may_not = member(service, Role.SEE_ACTIVITY, Role.SEE_RECIPIENTS), member(service, Role.SEE_ACTIVITY)

    assert shown_body(sees, delivery)["to"] == "ana@example.com"
    assert "echo ana@example.com" in sees.get(page).content.decode()
    assert shown_body(may_not, delivery)["to"] == "a…@example.com"
    assert "ana@example.com" not in may_not.get(page).content.decode()


def test_the_log_hides_what_a_received_email_quotes_of_redacted_values(service, console):
    secret = factories.make_template(service, content="Code ((code))", redact_personalisation=True)
    message = factories.make_notification(secret, body="Code 4711")
    row = factories.make_received_email(service, "Thanks!\n> Code 4711", notification_id=message.pk)
    endpoint = factories.make_callback(service, kind=CallbackKind.EVENTS, events=["received_email"])
    CallbackDelivery.objects.owe_email(row)
    page = reverse("admin:notifications_callbackdelivery_change", args=[CallbackDelivery.objects.get().pk])

    whole = console.get(page).content.decode()
    masked = member(service, Role.SEE_ACTIVITY).get(page).content.decode()

    assert endpoint.chosen_events == ["received_email"]
    assert "ana@example.com" in whole
    assert "Thanks!" in whole
    assert "4711" not in whole + masked
    assert "ana@example.com" not in masked
    ReceivedEmail.objects.update(encrypted_content=b"0" * 40)
    assert "FIELD_KEYS does not contain" in console.get(page).content.decode()


def test_a_read_only_role_changes_no_callback(service, receiver):
    endpoint = factories.make_callback(service, receiver.url)
    delivery = owe(endpoint)
    looks = member(service, Role.SEE_ACTIVITY)

    assert looks.get(LIST).status_code == 200
    assert looks.get(page_of(endpoint)).status_code == 200
    assert looks.get(ADD).status_code == 403
    resend = reverse("admin:notifications_callbackdelivery_resend", args=[delivery.pk])
    for step in ("edit", "rotate", "try", "pause", "resume", "resend-failed", "remove"):
        assert looks.post(page_of(endpoint, step)).status_code == 403, step
    assert looks.post(resend).status_code == 403


def test_another_services_callbacks_do_not_exist(service, receiver):
    endpoint = factories.make_callback(factories.make_service(), receiver.url)
    delivery = owe(endpoint)
    stranger = member(service, Role.SEE_ACTIVITY, Role.MANAGE_API, Role.SEE_RECIPIENTS)

    assert receiver.url not in stranger.get(LIST).content.decode()
    assert str(delivery.pk) not in stranger.get(f"{LOG}?endpoint={endpoint.pk}").content.decode()
    for step in ("change", "history", "edit", "rotate", "try", "pause", "resume", "resend-failed", "remove"):
        assert stranger.get(page_of(endpoint, step)).status_code == 404, step
    for step in ("change", "resend"):
        place = reverse(f"admin:notifications_callbackdelivery_{step}", args=[delivery.pk])
        assert stranger.get(place).status_code == 404, step


def test_a_script_in_a_url_or_reply_stays_text(console, service):
    script = "<script>alert(1)</script>"
    with Receiver(200, reply=script.encode()) as receiver:
        endpoint = factories.make_callback(service, f"{receiver.url}?{script}")
        delivery = CallbackDelivery.objects.owe_test(endpoint)
        drain_callbacks()

    for place in (LIST, page_of(endpoint), page_of(endpoint, "edit"), LOG, f"{LOG}{delivery.pk}/change/"):
        assert script not in console.get(place).content.decode(), place
