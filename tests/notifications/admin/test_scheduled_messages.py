"""Scheduled messages in the console: filtered, moved and cancelled. Source: docs/reference/console.md §2.10."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.audit.models import AuditEvent
from config.console.audit_sentences import sentence
from notifications.models import Channel, Notification, Role, Status
from tests.factories import make_notification, make_service, make_template
from tests.people import colleague

pytestmark = pytest.mark.django_db


def make_scheduled(**fields: Any) -> Notification:
    at = timezone.now() + timedelta(hours=2)
    return make_notification(**{"scheduled_for": at, "due_at": at, "next_attempt_at": at, **fields})


def url(message: Notification, word: str = "change") -> str:
    return reverse(f"admin:notifications_notification_{word}", args=[message.pk])


def typed(at: datetime) -> str:
    return f"{timezone.localtime(at):%Y-%m-%dT%H:%M}"


def page(console: Client, path: str, **query: str) -> str:
    return " ".join(console.get(path, query).content.decode().split())


def test_the_log_is_filtered_by_scheduled_messages(console: Client) -> None:
    waiting, sent = make_scheduled(), make_notification(status=Status.DELIVERED)

    shown = page(console, reverse("admin:notifications_notification_changelist"), scheduled="yes")

    assert url(waiting) in shown
    assert url(sent) not in shown


def test_the_filtered_log_offers_to_move_and_cancel(console: Client) -> None:
    waiting, claimed = make_scheduled(), make_scheduled(attempt=1)
    log = reverse("admin:notifications_notification_changelist")

    shown = page(console, log, scheduled="yes")

    assert all(url(waiting, word) in shown for word in ("move", "cancel"))
    assert url(claimed) not in shown
    assert url(waiting, "cancel") not in page(console, log)


def test_a_scheduled_message_offers_both_actions_and_others_offer_none(console: Client) -> None:
    waiting, sent = make_scheduled(), make_notification(status=Status.DELIVERED)

    assert all(url(waiting, word) in page(console, url(waiting)) for word in ("move", "cancel"))
    assert not any(url(sent, word) in page(console, url(sent)) for word in ("move", "cancel"))


@pytest.mark.usefixtures("noon")
def test_a_message_is_moved(console: Client) -> None:
    message, at = make_scheduled(), (timezone.now() + timedelta(hours=5)).replace(second=0, microsecond=0)

    answer = console.post(url(message, "move"), {"scheduled_for": typed(at)}, follow=True)

    message.refresh_from_db()
    assert message.scheduled_for == message.next_attempt_at == at
    assert "The message is now scheduled for" in answer.content.decode()
    assert "moved" in sentence(AuditEvent.objects.get(verb="moved"))


def test_an_empty_time_makes_the_message_due_now(console: Client) -> None:
    message = make_scheduled()

    console.post(url(message, "move"), {"scheduled_for": ""})

    message.refresh_from_db()
    assert message.next_attempt_at <= timezone.now() + timedelta(seconds=5)


@pytest.mark.usefixtures("noon")
def test_a_message_that_waits_for_the_end_of_quiet_hours_says_so(console: Client) -> None:
    now = timezone.now().replace(second=0, microsecond=0)
    end, at = now + timedelta(hours=10), now + timedelta(hours=5)
    hours = {"sms": {"from": f"{now - timedelta(hours=1):%H:%M}", "to": f"{end:%H:%M}", "zone": "service"}}
    service = make_service(quiet_hours=hours, time_zone="UTC")
    template = make_template(service, Channel.SMS, "Hello", respect_quiet_hours=True)
    message = make_notification(template, quiet_until=end, due_at=end, next_attempt_at=end)

    assert "It waits for the end of the quiet hours, " in page(console, url(message))
    assert url(message, "move") in page(console, url(message))
    assert "the end of the quiet hours" in page(console, url(message, "move"))
    answer = console.post(url(message, "move"), {"scheduled_for": typed(at)}, follow=True)

    message.refresh_from_db()
    assert (message.scheduled_for, message.quiet_until, message.due_at) == (at, end, end)
    assert "The message is now scheduled for" in answer.content.decode()
    assert ", the end of the quiet hours." in answer.content.decode()


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize(
    ("hours", "error"),
    [(-1, "Enter a time in the future"), (25, "Enter a time within the next 24 hours."), (None, "Enter a date and")],
)
def test_a_wrong_time_is_explained_and_moves_nothing(console: Client, hours: float | None, error: str) -> None:
    message = make_scheduled()
    before = message.scheduled_for
    entered = "soon" if hours is None else typed(timezone.now() + timedelta(hours=hours))

    answer = console.post(url(message, "move"), {"scheduled_for": entered})

    message.refresh_from_db()
    assert error in answer.content.decode()
    assert message.scheduled_for == before


def test_a_message_is_cancelled(console: Client) -> None:
    message = make_scheduled()

    explained = page(console, url(message, "cancel"))
    answer = console.post(url(message, "cancel"), follow=True)

    assert "This cannot be undone." in explained
    message.refresh_from_db()
    assert message.status == Status.CANCELLED
    assert "It was cancelled before its time." in answer.content.decode()
    assert "cancelled" in sentence(AuditEvent.objects.get(verb="cancelled"))


@pytest.mark.parametrize("word", ["move", "cancel"])
@pytest.mark.parametrize("fields", [{"attempt": 1}, {"status": Status.CANCELLED}, {"scheduled_for": None}])
def test_a_message_that_no_longer_waits_is_left_alone(console: Client, word: str, fields: dict[str, Any]) -> None:
    message = make_scheduled(**fields)

    answer = console.post(url(message, word), {"scheduled_for": ""})

    message.refresh_from_db()
    assert "This message is no longer scheduled." in answer.content.decode()
    assert message.status == fields.get("status", Status.CREATED)


@pytest.mark.parametrize(("role", "status"), [(Role.SEE_ACTIVITY, 403), (Role.SEND_MESSAGES, 200)])
def test_only_people_who_may_send_may_move_or_cancel(role: Role, status: int) -> None:
    message = make_scheduled()
    console = colleague(message.service, Role.SEE_ACTIVITY, role)

    assert [console.get(url(message, word)).status_code for word in ("move", "cancel")] == [status, status]
    assert (url(message, "cancel") in page(console, url(message))) is (status == 200)


# Over the filter


def test_all_scheduled_messages_of_the_list_are_cancelled(console: Client) -> None:
    template, later = make_template(), timezone.now() + timedelta(hours=3)
    mine = [make_scheduled(template=template), make_scheduled(template=template, scheduled_for=later)]
    others = [make_scheduled(), make_scheduled(template=template, attempt=1), make_notification(template)]
    query = f"?scheduled=yes&template__id__exact={template.pk}"
    path = reverse("admin:notifications_notification_cancel-scheduled") + query
    shown = console.get(path)

    answer = console.post(path, {"number": 2, "job_id": shown.context["job_id"]}, follow=True)

    assert "The list has 2 scheduled messages." in shown.content.decode()
    assert "2 scheduled messages cancelled. They will not be sent." in answer.content.decode()
    assert {Notification.objects.get(pk=one.pk).status for one in mine} == {Status.CANCELLED}
    assert {Notification.objects.get(pk=one.pk).status for one in others} == {Status.CREATED}
    assert AuditEvent.objects.filter(verb="cancelled").count() == 2
    assert "No message of this list is scheduled." in page(console, path)


def test_the_filtered_log_offers_to_cancel_all_to_people_who_may_send() -> None:
    waiting = make_scheduled()
    log = reverse("admin:notifications_notification_changelist")
    sender = colleague(waiting.service, Role.SEND_MESSAGES, Role.SEE_ACTIVITY)
    reader = colleague(waiting.service, Role.SEE_ACTIVITY)

    assert "Cancel these messages…" in page(sender, log, scheduled="yes")
    assert "Cancel these messages…" not in page(sender, log)
    assert "Cancel these messages…" not in page(reader, log, scheduled="yes")
    assert reader.get(reverse("admin:notifications_notification_cancel-scheduled")).status_code == 403
