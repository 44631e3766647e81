"""The clock's tasks: end silent messages, limit the sandbox inbox, wake workers for due messages."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.queue import publishing
from notifications import tasks
from notifications.models import Channel, SandboxContent, SandboxMessage, Status
from notifications.models.sandbox_message import MOST_KEPT
from notifications.tasks.sending import SWEEP_WAKES
from tests.cleaning import clean_up
from tests.factories import make_notification, make_template

pytestmark = pytest.mark.django_db

REPORTING = "gateway-1=https://gateway.example.org?token=t"


def trim_sandbox() -> int:
    return clean_up("sandbox").removed


@pytest.mark.parametrize(
    ("status", "hours", "ends"),
    [
        (Status.SENDING, 73, True),
        (Status.PENDING, 73, True),
        (Status.SENDING, 71, False),
        (Status.SENT, 73, False),
        (Status.DELIVERED, 73, False),
    ],
)
def test_a_message_without_a_receipt_ends_after_three_days(settings, status, hours, ends):
    settings.PROVIDERS = [REPORTING]
    sent_at = timezone.now() - timedelta(hours=hours)
    message = make_notification(status=status, sent_at=sent_at, provider="gateway-1")

    tasks.close_without_receipt()

    message.refresh_from_db()
    assert message.status == (Status.TEMPORARY_FAILURE if ends else status)
    assert (message.completed_at is not None) == ends


@pytest.mark.parametrize(
    ("channel", "status", "provider", "ends_as"),
    [
        (Channel.EMAIL, Status.SENDING, "mail", Status.DELIVERED),
        (Channel.SMS, Status.SENDING, "mute", Status.SENT),
        (Channel.SMS, Status.SENDING, "no-longer-configured", Status.SENT),
        (Channel.SMS, Status.PENDING, "mute", Status.TEMPORARY_FAILURE),
        (Channel.SMS, Status.SENDING, "gateway-1", Status.TEMPORARY_FAILURE),
    ],
)
def test_a_missing_receipt_is_a_failure_only_if_the_provider_reports(settings, channel, status, provider, ends_as):
    settings.PROVIDERS = [REPORTING, "mute=https://mute.example.org", "mail=smtp://127.0.0.1:1"]
    sent_at = timezone.now() - timedelta(hours=73)
    message = make_notification(make_template(channel=channel), status=status, sent_at=sent_at, provider=provider)
    recent = make_notification(status=Status.SENDING, sent_at=timezone.now(), provider="mail")

    assert tasks.end_without_receipt() == 1

    message.refresh_from_db()
    recent.refresh_from_db()
    assert (message.status, recent.status) == (ends_as, Status.SENDING)
    assert message.is_acceptance_final == (ends_as != Status.TEMPORARY_FAILURE)
    assert message.completed_at is not None


def test_the_sweep_wakes_a_worker_for_each_message_that_is_due(django_capture_on_commit_callbacks):
    template = make_template()
    for _ in range(3):
        make_notification(template)
    make_notification(template, next_attempt_at=timezone.now() + timedelta(hours=1))
    make_notification(template, claimed_until=timezone.now() + timedelta(hours=1))
    before = publishing.waiting("send-email")["send-email"]

    with django_capture_on_commit_callbacks(execute=True):
        published = [tasks.wake_for_due()]
    with django_capture_on_commit_callbacks(execute=True):
        published.append(tasks.wake_for_due())

    assert published[0] == max(0, min(3, SWEEP_WAKES - before))  # other tests leave tasks in the queue
    assert publishing.waiting("send-email")["send-email"] == before + sum(published) <= max(before, SWEEP_WAKES)


def test_the_sandbox_keeps_seven_days():
    old = SandboxMessage.objects.store(
        make_notification().id, Channel.SMS, SandboxContent(to="1", sender="A", text="x")
    )
    SandboxMessage.objects.filter(id=old.id).update(received_at=timezone.now() - timedelta(days=7, minutes=1))
    new = SandboxMessage.objects.store(
        make_notification().id, Channel.SMS, SandboxContent(to="1", sender="A", text="x")
    )

    assert trim_sandbox() == 1

    assert [message.id for message in SandboxMessage.objects.all()] == [new.id]


def test_the_sandbox_keeps_the_newest_two_thousand():
    notification_id, now = make_notification().id, timezone.now()
    SandboxMessage.objects.bulk_create(
        SandboxMessage(
            notification_id=notification_id,
            channel=Channel.SMS,
            encrypted_content=b"x",
            received_at=now - timedelta(seconds=second),
        )
        for second in range(MOST_KEPT + 5)
    )

    assert trim_sandbox() == 5
    assert SandboxMessage.objects.count() == MOST_KEPT
    assert SandboxMessage.objects.filter(received_at=now).exists()
