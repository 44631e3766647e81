"""The page behind the unsubscribe link of an email: it asks, keeps the wish once, and believes only our own links."""

import re
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from notifications.delivery import unsubscribing
from notifications.delivery.deliver import deliver
from notifications.models import Channel, Notification, SandboxMessage, Status, UnsubscribeRequest
from tests.factories import make_notification, make_service, make_template
from tests.notifications.calling import email_template, make_caller

pytestmark = pytest.mark.django_db

BASE = "http://127.0.0.1:8000"


def path_of(message: Notification) -> str:
    return unsubscribing.url(message).removeprefix(BASE)


@pytest.fixture
def browser() -> Client:
    """One that keeps no cookies and sends none, as in a mail program, and holds a page to its form's protection."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def message() -> Notification:
    return make_notification(make_template(make_service(name="Tide & Times")), status=Status.DELIVERED)


def said(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_the_link_of_a_sent_email_leads_to_the_page_of_its_service(browser: Client) -> None:
    caller = make_caller(name="Tide Times")
    sent = caller.send_email(email_template(caller, "Dear all", unsubscribe_link=True)).json()
    deliver(uuid.UUID(sent["id"]))
    (arrived,) = SandboxMessage.objects.all()

    (link,) = re.findall(rf'href="({BASE}/unsubscribe/[^"]+)"', arrived.content.html or "")
    page = browser.get(link.removeprefix(BASE))

    assert f"Unsubscribe from these emails: {link}" in arrived.content.text
    assert page.status_code == 200
    assert "Tide Times sent you the email" in said(page)
    assert sent["content"]["body"] == "Dear all"


def test_looking_changes_nothing_and_pressing_the_button_does(browser: Client, message: Notification) -> None:
    path = path_of(message)
    for method in ("get", "head", "options"):
        getattr(browser, method)(path)
    assert UnsubscribeRequest.objects.count() == 0

    with time_machine.travel("2026-11-21T09:30:00Z", tick=False):
        pressed = browser.post(path)
    after = browser.get(path)

    assert (pressed.status_code, pressed.headers["Location"]) == (303, path)
    kept = UnsubscribeRequest.objects.get()
    assert (kept.notification, kept.at) == (message, datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
    assert "You are unsubscribed" in said(after)
    assert "21 November 2026 at 09:30" in said(after)
    assert "<button" not in after.content.decode()


def test_pressing_twice_keeps_the_first_moment(browser: Client, message: Notification) -> None:
    browser.post(path_of(message))
    first = UnsubscribeRequest.objects.get().at

    assert browser.post(path_of(message)).status_code == 303

    assert UnsubscribeRequest.objects.get().at == first


def forged(path: str, other: Notification) -> list[str]:
    token = path.rpartition("/")[2]
    identifier, _, signature = token.partition(":")
    changed = ("A" if signature[-2] != "A" else "B") + signature[-1]
    tokens = [identifier, f"{identifier}:", f"{other.id}:{signature}", f"{identifier}:{signature[:-2]}{changed}"]
    tokens += [f"{token}x", f"{token}:{signature}", "x", str(uuid.uuid4()), identifier.upper() + f":{signature}", "%00"]
    return [f"/unsubscribe/{one}" for one in tokens]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_link_we_have_not_made_is_404_and_keeps_nothing(browser: Client, message: Notification, method: str) -> None:
    for path in forged(path_of(message), make_notification()):
        answer = browser.generic(method, path)
        assert (answer.status_code, "This link does not work" in said(answer)) == (404, True), path

    assert UnsubscribeRequest.objects.count() == 0


def test_a_message_that_is_gone_is_404(browser: Client, message: Notification) -> None:
    path = path_of(message)
    browser.post(path)
    message.delete()

    assert browser.get(path).status_code == 404
    assert UnsubscribeRequest.objects.count() == 0


def test_the_preview_says_that_it_is_one_and_does_nothing(browser: Client) -> None:
    page = browser.get("/unsubscribe/preview")

    assert page.status_code == 200
    assert "This is a preview." in said(page)
    assert '<button type="submit" disabled>' in page.content.decode()
    assert browser.post("/unsubscribe/preview").status_code == 405


def test_previews_of_a_template_lead_to_the_preview() -> None:
    caller = make_caller()
    template = email_template(caller, unsubscribe_link=True)

    html = caller.post(f"/v2/template/{template.id}/preview", {}).json()["html"]

    assert f'href="{BASE}/unsubscribe/preview"' in html


def test_the_page_shows_no_address_leads_nowhere_and_sets_no_cookie(browser: Client, message: Notification) -> None:
    page = browser.get(path_of(message))

    assert message.recipient not in page.content.decode()
    assert "Tide &amp; Times" in page.content.decode()
    assert "<script" not in page.content.decode()
    assert not page.cookies
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "no-store"
    assert "noindex" in page.content.decode()
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


def test_a_text_messages_template_has_no_link(browser: Client) -> None:
    caller = make_caller()
    text = make_template(caller.service, Channel.SMS, "Hello")

    assert "unsubscribe" not in caller.send_sms(text).content.decode()
