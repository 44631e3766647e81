"""Reply-to addresses are confirmed by an emailed link, or by an operator. Source: docs/reference/console.md §3.11."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config import audit
from config.audit.models import AuditEvent
from notifications import tasks
from notifications.delivery import notices, reply_to_checks
from notifications.delivery.returned_emails import mailbox
from notifications.models import Channel, ReplyToAddress, ReplyToState, Role, SandboxMessage, Service
from tests import factories
from tests.notifications.calling import make_caller
from tests.people import colleague

pytestmark = pytest.mark.django_db

ADD = reverse("admin:notifications_replytoaddress_add")
ADDRESS = "office@example.org"


@pytest.fixture
def service(db: None) -> Service:
    return factories.make_service(name="Tides", live=False)


@pytest.fixture
def manager(service: Service) -> Client:
    return colleague(service, Role.MANAGE_SERVICE)


def add(client: Client, service: Service) -> ReplyToAddress:
    client.post(ADD, {"service": str(service.pk), "email_address": ADDRESS})
    return ReplyToAddress.objects.get(email_address=ADDRESS)


def page_of(row: ReplyToAddress, page: str) -> str:
    return reverse(f"admin:notifications_replytoaddress_{page}", args=[row.pk])


def mailed_link() -> str:
    """Send the emails that are due, and return the path of the newest link."""
    for pk in notices.KINDS["reply-to"].waiting():
        tasks.mail_notice("reply-to", str(pk))
    text = SandboxMessage.objects.latest("received_at").content.text
    url = urlsplit(re.search(r"https?://\S+/reply-to/confirm\S+", text)[0])  # type: ignore[index]
    return f"{url.path}?{url.query}"


def state_of(row: ReplyToAddress) -> str:
    return ReplyToAddress.objects.get(pk=row.pk).state


def test_a_new_address_is_confirmed_by_a_post_to_the_link_and_the_link_works_once(manager, service):
    row = add(manager, service)
    assert state_of(row) == ReplyToState.CHECKING
    link, somebody = mailed_link(), Client()

    page = somebody.get(link).content.decode()
    assert ("Tides" in page, ADDRESS in page, "Confirm address" in page) == (True, True, True)
    assert state_of(row) == ReplyToState.CHECKING

    assert "Reply-to address confirmed" in somebody.post(link).content.decode()
    assert state_of(row) == ReplyToState.CONFIRMED
    assert "by link" in manager.get(page_of(row, "change")).content.decode()
    assert AuditEvent.objects.get(verb="confirmed").reason == "through the emailed link"
    assert somebody.get(link).status_code == 404
    assert somebody.post(link).status_code == 404


def test_a_link_ends_after_seven_days_and_with_a_newer_email(manager, service):
    row = add(manager, service)
    first = mailed_link()
    manager.post(page_of(row, "send-confirmation"))
    second = mailed_link()

    assert Client().get(first).status_code == 404
    assert Client().get(second).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(days=7, seconds=5), tick=True):
        assert Client().post(second).status_code == 404
    assert state_of(row) == ReplyToState.CHECKING


@pytest.mark.parametrize("token", ["", "x", "x:y:z", "0" * 500])
def test_an_invented_link_does_not_work(token):
    answer = Client().post(f"/reply-to/confirm?token={token}")

    assert answer.status_code == 404
    assert "This link does not work" in answer.content.decode()


def test_the_bounce_of_the_email_marks_the_address(manager, service, settings):
    row = add(manager, service)
    link = mailed_link()

    assert mailbox.take_in(bounce_of(row, settings.EMAIL_DOMAIN)) == "applied"
    assert state_of(row) == ReplyToState.BOUNCED
    assert "Bounced" in manager.get(reverse("admin:notifications_replytoaddress_changelist")).content.decode()

    Client().post(link)  # the person has fixed the mailbox and opens the link all the same
    assert state_of(row) == ReplyToState.CONFIRMED
    assert mailbox.take_in(bounce_of(row, settings.EMAIL_DOMAIN)) == "unknown message"


def bounce_of(row: ReplyToAddress, domain: str) -> bytes:
    return (
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n\r\n"
        f"Final-Recipient: rfc822; {ADDRESS}\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
        f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <{row.confirmation_id}@{domain}>\r\n\r\n--b--\r\n"
    ).encode()


def test_only_an_operator_confirms_outside_with_a_reason(console, manager, service):
    row = factories.make_reply_to(service, ADDRESS)
    assert "Confirm without email" not in manager.get(page_of(row, "change")).content.decode()
    assert manager.post(page_of(row, "confirm-outside"), {"reason": "x"}).status_code == 403

    assert "This field is required." in console.post(page_of(row, "confirm-outside"), {}).content.decode()
    console.post(page_of(row, "confirm-outside"), {"reason": "they rang"})

    row.refresh_from_db()
    assert (row.state, row.confirmed_by) == (ReplyToState.CONFIRMED, "mina@example.org")
    for page in ("confirm-outside", "send-confirmation"):
        assert "already confirmed" in console.get(page_of(row, page)).content.decode()


def test_an_address_of_another_service_looks_like_none(service):
    row = factories.make_reply_to(service, ADDRESS)
    stranger = colleague(factories.make_service(), Role.MANAGE_SERVICE)

    assert stranger.post(page_of(row, "send-confirmation")).status_code == 404


@pytest.mark.parametrize("state", ReplyToState.values)
def test_every_state_can_be_used(state):
    caller = make_caller()
    ReplyToAddress.objects.update(state=state)

    assert caller.send_email(factories.make_template(caller.service, Channel.EMAIL, "Hello")).status_code == 201


def test_a_removed_address_gets_no_email(manager, service):
    row = add(manager, service)
    manager.post(page_of(row, "remove"))

    for pk in notices.KINDS["reply-to"].waiting():
        tasks.mail_notice("reply-to", str(pk))

    assert not SandboxMessage.objects.exists()


def test_two_clicks_at_once_confirm_once(manager, service):
    row = add(manager, service)
    same = ReplyToAddress.objects.get(pk=row.pk)

    assert reply_to_checks.confirm_by_link(row)
    assert not reply_to_checks.confirm_by_link(same)
    assert AuditEvent.objects.filter(verb="confirmed", actor_kind=audit.CLOCK.kind).count() == 1


def test_existing_addresses_are_unchecked(service: Any):
    assert factories.make_reply_to(service).state == ReplyToState.UNCHECKED
