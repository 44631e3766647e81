"""The page of an unsubscribe link: it asks, stores the request once, and accepts Signalbox's own links only."""

import base64
import re
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.signing import Signer
from django.test import Client
from structlog.testing import capture_logs

from notifications.delivery import unsubscribe_links
from notifications.delivery.unsubscribe_links import LinkedEmail
from notifications.models import Channel, Notification, SandboxMessage, Service, Status, UnsubscribeRequest
from notifications.submission.suppressions.unsubscribe_requests import confirm
from tests.factories import make_notification, make_service, make_template
from tests.notifications.calling import email_template, make_caller
from tests.notifications.draining import drain_messages

pytestmark = pytest.mark.django_db

BASE = "http://127.0.0.1:8000"


def path_of(message: Notification) -> str:
    return unsubscribe_links.url(message).removeprefix(BASE)


@pytest.fixture
def browser() -> Client:
    """A client without cookies, like a mail program, that checks CSRF tokens."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def message() -> Notification:
    return make_notification(make_template(make_service(name="Tide & Times")), status=Status.DELIVERED)


def said(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_the_link_of_a_sent_email_leads_to_the_page_of_its_service(browser: Client) -> None:
    caller = make_caller(name="Tide Times")
    sent = caller.send_email(email_template(caller, "Dear all", unsubscribe_link=True)).json()
    drain_messages()
    (arrived,) = SandboxMessage.objects.all()

    (link,) = re.findall(rf'href="({BASE}/unsubscribe/[^"]+)"', arrived.content.html or "")
    page = browser.get(link.removeprefix(BASE))

    assert f"Unsubscribe from these emails: {link}" in arrived.content.text
    assert page.status_code == 200
    assert "Tide Times sent you the email" in said(page)
    assert sent["content"]["body"] == "Dear all"


def test_a_get_changes_nothing_and_the_button_stores_the_request(browser: Client, message: Notification) -> None:
    path = path_of(message)
    for method in ("get", "head", "options"):
        getattr(browser, method)(path)
    assert UnsubscribeRequest.objects.count() == 0

    with time_machine.travel("2026-11-21T09:30:00Z", tick=False):
        pressed = browser.post(path)
    after = browser.get(path)

    assert (pressed.status_code, pressed.headers["Location"]) == (303, path)
    kept = UnsubscribeRequest.objects.get()
    assert (kept.notification_id, kept.service, kept.template) == (message.id, message.service, message.template)
    assert (kept.recipient, kept.created_at) == ("ana@example.com", datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
    assert abs(kept.email_created_at - message.created_at) < timedelta(milliseconds=1)
    assert (kept.done_at, kept.done_by) == (None, "")
    assert "<button" not in after.content.decode()


def test_the_page_only_promises_that_the_request_was_sent(browser: Client, message: Notification) -> None:
    with time_machine.travel("2026-11-21T09:30:00Z", tick=False):
        browser.post(path_of(message))

    text = said(browser.get(path_of(message)))

    assert "Unsubscribe request sent" in text
    assert "We told Tide &amp; Times on 21 November 2026 at 9:30am that you do not want more emails like this" in text
    assert "We will not send you their emails of this kind any more." in text
    assert "You are unsubscribed" not in text


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"),
        (
            b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
    ],
    ids=["urlencoded", "multipart"],
)
def test_a_mail_program_unsubscribes_with_one_post_and_is_not_redirected(
    browser: Client, message: Notification, body: bytes, content_type: str
) -> None:
    """RFC 8058 §3.1 and §3.2."""
    for _ in range(2):
        answer = browser.generic("POST", path_of(message), body, content_type=content_type)
        assert answer.status_code == 200

    assert UnsubscribeRequest.objects.get().notification_id == message.id


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "text/plain", ""])
def test_an_empty_post_unsubscribes(browser: Client, message: Notification, content_type: str) -> None:
    assert browser.generic("POST", path_of(message), b"", content_type=content_type).status_code == 303

    assert UnsubscribeRequest.objects.count() == 1


def test_confirming_twice_stores_one_request_with_its_first_moment(browser: Client, message: Notification) -> None:
    browser.post(path_of(message))
    first = UnsubscribeRequest.objects.get()

    assert browser.post(path_of(message)).status_code == 303
    confirm(LinkedEmail.of(message))  # as a concurrent process that has not found the first request

    assert UnsubscribeRequest.objects.get().created_at == first.created_at


def test_two_emails_to_one_recipient_are_two_requests(browser: Client, message: Notification) -> None:
    other = make_notification(message.template)

    for one in (message, other):
        browser.post(path_of(one))

    assert set(UnsubscribeRequest.objects.values_list("notification_id", flat=True)) == {message.id, other.id}


def test_a_link_works_for_two_years_without_its_message(browser: Client, message: Notification) -> None:
    path = path_of(message)
    message.delete()

    with time_machine.travel(datetime.now(UTC) + timedelta(days=730), tick=False):
        assert "Tide &amp; Times sent you the email" in said(browser.get(path))
        browser.post(path)

    kept = UnsubscribeRequest.objects.get()
    assert (kept.service, kept.template, kept.recipient) == (message.service, message.template, "ana@example.com")


def test_the_link_of_an_archived_service_works(browser: Client, message: Notification) -> None:
    Service.objects.update(active=False, archived_at=datetime.now(UTC))

    assert browser.get(path_of(message)).status_code == 200
    assert browser.post(path_of(message)).status_code == 303
    assert UnsubscribeRequest.objects.count() == 1


def test_the_link_of_an_unknown_template_is_404(browser: Client, message: Notification) -> None:
    path = path_of(message)
    message.template.delete()

    assert (browser.get(path).status_code, browser.post(path).status_code) == (404, 404)


def test_one_message_has_one_link(message: Notification) -> None:
    assert path_of(message) == path_of(Notification.objects.get())


@pytest.mark.parametrize("recipient", ["Ana@Example.com", "fern@bücher.example", f"{'a' * 300}@example.com"])
def test_a_link_does_not_reveal_the_recipient(recipient: str) -> None:
    message = make_notification(recipient=recipient)
    token = path_of(message).rpartition("/")[2]

    assert re.fullmatch(r"[A-Za-z0-9_-]+", token)
    assert recipient.partition("@")[0].encode()[:5] not in base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    assert unsubscribe_links.read(token) == replace(
        LinkedEmail.of(message), created_at=unsubscribe_links.read(token).created_at
    )


def test_no_log_contains_the_link_or_the_recipient(
    browser: Client, message: Notification, caplog: pytest.LogCaptureFixture
) -> None:
    path = path_of(message)
    with capture_logs() as events:
        browser.get(path)
        browser.post(path)

    logged = f"{events} {caplog.text}"
    assert "unsubscribe_request.stored" in logged
    assert message.recipient not in logged
    assert path.rpartition("/")[2] not in logged


def test_a_link_works_while_its_secret_key_is_a_fallback(browser: Client, message: Notification, settings: Any) -> None:
    first, earlier, old_key = path_of(message), earlier_path_of(message), settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a-new-key-" * 6, [old_key]
    second = path_of(message)

    assert [browser.get(path).status_code for path in (first, second, earlier)] == [200, 200, 200]
    assert first != second
    settings.SECRET_KEY_FALLBACKS = []
    assert [browser.get(path).status_code for path in (first, second, earlier)] == [404, 200, 404]


def earlier_path_of(message: Notification) -> str:
    """Return a link of the previous release."""
    return f"/unsubscribe/{Signer(salt='unsubscribe').sign(str(message.id))}"


def test_a_link_of_the_previous_release_works_while_its_message_exists(browser: Client, message: Notification) -> None:
    path = earlier_path_of(message)

    assert "Tide &amp; Times sent you the email" in said(browser.get(path))
    assert browser.post(path).headers["Location"] == path
    assert "Unsubscribe request sent" in said(browser.get(path))
    browser.post(path_of(message))  # a second attempt used the link of this release

    kept = UnsubscribeRequest.objects.get()
    assert (kept.notification_id, kept.recipient) == (message.id, "ana@example.com")
    message.delete()
    assert browser.get(path).status_code == 404


def forged(message: Notification, other: Notification) -> list[str]:
    token, earlier = (path.rpartition("/")[2] for path in (path_of(message), earlier_path_of(message)))
    identifier, _, signature = earlier.partition(":")
    tokens = [f"{token}x", token[:-1], token[4:], token.upper(), f"{token}=", f"{token}\u00e9", token.swapcase()]
    tokens += [("B" if token[0] == "A" else "A") + token[1:], token[:-1] + ("B" if token[-1] == "A" else "A")]
    tokens += [identifier, f"{identifier}:", f"{other.id}:{signature}", f"{earlier}x", f"{earlier}:{signature}"]
    tokens += ["x", str(uuid.uuid4()), identifier.upper() + f":{signature}", "%00", "A" * 20, "A" * 10_000, "previeW"]
    return [f"/unsubscribe/{one}" for one in tokens]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_forged_link_is_404_and_stores_nothing(browser: Client, message: Notification, method: str) -> None:
    for path in forged(message, make_notification()):
        answer = browser.generic(method, path)
        assert (answer.status_code, "This link does not work" in said(answer)) == (404, True), path

    assert UnsubscribeRequest.objects.count() == 0


def test_the_preview_is_named_as_such_and_stores_nothing(browser: Client) -> None:
    page = browser.get("/unsubscribe/preview")

    assert page.status_code == 200
    assert "This is a preview." in said(page)
    assert '<button type="submit" disabled>' in page.content.decode()
    assert browser.post("/unsubscribe/preview").status_code == 405


def test_previews_of_a_template_link_to_the_preview() -> None:
    caller = make_caller()
    template = email_template(caller, unsubscribe_link=True)

    html = caller.post(f"/v2/template/{template.id}/preview", {}).json()["html"]

    assert f'href="{BASE}/unsubscribe/preview"' in html


def test_the_page_shows_no_email_address_and_has_no_links_or_cookies(browser: Client, message: Notification) -> None:
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
