"""Dry runs and times in the form that sends one message by hand. Source: docs/reference/console.md §2.11."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from notifications.models import Channel, DailyCounter, Notification, Role, Service, Template
from tests import factories
from tests.people import colleague

pytestmark = pytest.mark.django_db

SEND = "/admin/notifications/notification/send/"


@pytest.fixture
def service() -> Service:
    return factories.make_service(name="Tides")


@pytest.fixture
def template(service: Service) -> Template:
    return factories.make_template(service, Channel.SMS, content="Code ((code))", name="Gate code")


@pytest.fixture
def browser(service: Service) -> Client:
    return colleague(service, Role.SEE_ACTIVITY, Role.SEND_MESSAGES, name="jo")


def press(browser: Client, button: str, template: Template, **fields: Any) -> Any:
    values = {"template": str(template.pk), "recipient": "07700 900123", "kind": "real", "sender": "", "reference": "r"}
    return browser.post(SEND, {**values, "value-0": "37", **fields, button: "yes"}, follow=True)


def send(browser: Client, template: Template, **fields: Any) -> Any:
    """Check a message, then send it with the form of the check."""
    checked = press(browser, "check", template, **fields).context
    return press(browser, "send", template, **fields, nonce=checked["nonce"], checked=checked["fingerprint"])


def text(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def test_a_dry_run_shows_every_check_and_stores_nothing(browser: Client, template: Template) -> None:
    shown = text(press(browser, "dry_run", template))

    assert "This message would be accepted." in shown
    assert "Would be sent" in shown
    assert "7 characters (GSM), 1 part" in shown
    assert shown.count(">OK<") == 13
    assert "Code 37" in shown
    assert not Notification.objects.exists()
    assert not DailyCounter.objects.exists()


def test_a_dry_run_lists_all_errors_with_what_to_do(browser: Client, service: Service, template: Template) -> None:
    Service.objects.filter(pk=service.pk).update(permissions=["email"], live=False)

    shown = text(press(browser, "dry_run", template, **{"value-0": ""}))

    assert "This message would be refused." in shown
    assert "Service is not allowed to send text messages" in shown
    assert "Missing personalisation: code" in shown
    assert "send to this recipient when service is in trial mode" in shown
    assert ">Not checked<" in shown


def test_a_dry_run_of_an_email_leaves_out_the_checks_of_numbers(browser: Client, service: Service) -> None:
    template = factories.make_template(service, content="Dear ((name))", subject="Tides")

    shown = text(press(browser, "dry_run", template, recipient="ana@example.org", **{"value-0": "Ana"}))

    assert "This message would be accepted." in shown
    assert "kind of number" not in shown
    assert "Dear Ana" in shown


def test_a_message_is_sent_at_the_chosen_time(browser: Client, template: Template) -> None:
    at = (timezone.now() + timedelta(hours=3)).replace(second=0, microsecond=0)
    when = f"{timezone.localtime(at):%Y-%m-%dT%H:%M}"
    assert "Schedule 1 text message to" in text(press(browser, "check", template, scheduled_for=when))

    send(browser, template, scheduled_for=when)

    message = Notification.objects.get()
    assert (message.scheduled_for, message.next_attempt_at) == (at, at)


def test_another_time_than_the_checked_one_is_checked_again(browser: Client, template: Template) -> None:
    checked = press(browser, "check", template).context
    at = f"{timezone.localtime(timezone.now() + timedelta(hours=3)):%Y-%m-%dT%H:%M}"

    press(browser, "send", template, nonce=checked["nonce"], checked=checked["fingerprint"], scheduled_for=at)

    assert not Notification.objects.exists()


@pytest.mark.parametrize(
    ("when", "error"),
    [("soon", "Enter a date and time"), ("2000-01-01T00:00", "Enter a time in the future"), ("2100-01-01T00:00", "24")],
)
def test_a_wrong_time_is_explained(browser: Client, template: Template, when: str, error: str) -> None:
    answer = press(browser, "check", template, scheduled_for=when)

    assert answer.status_code == 422
    assert error in text(answer)


def test_a_repeat_is_shown_and_not_sent(browser: Client, service: Service, template: Template) -> None:
    Service.objects.filter(pk=service.pk).update(repeat_guard_minutes=30)

    answers = [send(browser, template) for _ in range(2)]

    assert "Not sent: this message with the same reference was sent before." in text(answers[1])
    assert Notification.objects.count() == 1
    assert "This message would not be sent again." in text(press(browser, "dry_run", template))
