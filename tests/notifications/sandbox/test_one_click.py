"""The unsubscribe button in the inbox works as in mail programs."""

import pytest
from django.test import Client

from notifications.delivery import unsubscribe_links
from notifications.models import Role, SandboxMessage, UnsubscribeRequest
from tests import factories
from tests.notifications.sandbox.test_inbox_api import arrive
from tests.people import colleague
from tests.receivers import Receiver

pytestmark = pytest.mark.django_db


def arrive_with(url: str, **fields: object) -> SandboxMessage:
    return arrive(headers={"List-Unsubscribe": f"<{url}>"}, **fields)


def press(browser: Client, arrived: SandboxMessage) -> str:
    answer = browser.post(f"/sandbox/messages/{arrived.pk}/unsubscribe/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_button_posts_to_the_callers_url_and_shows_the_answer(console: Client, settings) -> None:
    settings.OUTBOUND_ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with Receiver(202, reply=b"<b>Goodbye</b>") as receiver:
        page = press(console, arrive_with(f"{receiver.url}?who=7"))

    [posted] = receiver.posted
    assert (posted.path, posted.body) == ("/callback?who=7", b"List-Unsubscribe=One-Click")
    assert posted.headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert "Posted. The response has the status 202." in page
    assert "&lt;b&gt;Goodbye&lt;/b&gt;" in page


def test_nothing_is_posted_into_the_operators_network(console: Client, settings) -> None:
    settings.OUTBOUND_ALLOWED_NETWORKS = []
    with Receiver() as receiver:
        page = press(console, arrive_with(receiver.url))

    assert receiver.posted == []
    assert "Nothing was posted: the URL must start with https://." in page


def test_an_unavailable_url_has_an_error(console: Client, settings) -> None:
    settings.OUTBOUND_ALLOWED_NETWORKS = ["127.0.0.0/8"]

    page = press(console, arrive_with("http://127.0.0.1:9/unsubscribe"))

    assert "Posted, but there was no response:" in page


def test_the_services_own_link_stores_the_request(console: Client) -> None:
    sent = factories.make_notification(factories.make_template(factories.make_service(name="Tides")))

    page = press(console, arrive_with(unsubscribe_links.url(sent), notification_id=sent.pk))

    assert "Tides has the request." in page
    assert UnsubscribeRequest.objects.get().notification_id == sent.pk


def test_a_damaged_link_stores_nothing(console: Client, settings) -> None:
    page = press(console, arrive_with(f"{settings.BASE_URL}/unsubscribe/damaged"))

    assert "This link does not work" in page
    assert not UnsubscribeRequest.objects.exists()


def test_an_email_without_the_header_has_no_button(console: Client) -> None:
    arrived = arrive()

    assert "Try unsubscribe button" not in console.get(f"/sandbox/messages/{arrived.pk}/").content.decode()
    assert console.post(f"/sandbox/messages/{arrived.pk}/unsubscribe/").status_code == 404


def test_only_people_who_see_recipients_can_press_the_button(db: None) -> None:
    service = factories.make_service()
    sent = factories.make_notification(factories.make_template(service))
    arrived = arrive_with(unsubscribe_links.url(sent), notification_id=sent.pk)
    viewer, reader = colleague(service, Role.SEE_ACTIVITY), colleague(service, Role.SEE_RECIPIENTS)

    assert viewer.post(f"/sandbox/messages/{arrived.pk}/unsubscribe/").status_code == 403
    assert "Try unsubscribe button" not in viewer.get(f"/sandbox/messages/{arrived.pk}/").content.decode()
    assert not UnsubscribeRequest.objects.exists()
    assert "Try unsubscribe button" in reader.get(f"/sandbox/messages/{arrived.pk}/").content.decode()


def test_links_of_a_text_and_of_plain_text_open_in_their_own_tab(console: Client) -> None:
    plain = arrive(text="See https://quay.example/a?b=1&c. Bye")
    bubble = arrive("447700900123", channel="sms", subject=None, html=None, text="See https://quay.example/a")
    own_tab = 'target="_blank" rel="noopener noreferrer"'

    page = console.get(f"/sandbox/messages/{plain.pk}/").content.decode()
    assert f'<a href="https://quay.example/a?b=1&amp;c" {own_tab}>' in page
    page = console.get(f"/sandbox/messages/{bubble.pk}/").content.decode()
    assert f'<a {own_tab} href="https://quay.example/a">' in page
