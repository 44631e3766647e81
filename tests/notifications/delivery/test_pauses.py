"""Pauses of channels and providers: nothing is handed over, everything is kept, and a resume continues."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from config import audit
from config.audit.models import AuditEvent
from config.queue import publishing
from notifications import tasks
from notifications.delivery import pauses, providers
from notifications.delivery.outbox import Outbox
from notifications.models import Channel, Lane, Notification, PauseKind, SendingPause, Status
from tests.factories import make_notification, make_service, make_template
from tests.notifications.delivery.mail_servers import ScriptedServer
from tests.notifications.draining import drain, drain_messages
from tests.servers import SmtpSink

pytestmark = pytest.mark.django_db

MORNING = datetime(2026, 11, 20, 9, tzinfo=UTC)


def hours(number: float) -> timedelta:
    return timedelta(hours=number)


def pause(kind: PauseKind, name: str, *, since: datetime | None = None) -> None:
    pauses.pause(kind, name, audit.COMMAND)
    if since:
        SendingPause.objects.current().filter(kind=kind, name=name).update(since=since)


def test_a_paused_channel_keeps_single_and_bulk_messages_until_it_is_resumed(settings, smtp_sink: SmtpSink):
    settings.PROVIDERS = [f"mail={smtp_sink.url}"]
    template = make_template(make_service())
    for lane in (Lane.SINGLE, Lane.BULK):
        make_notification(template, lane=lane)
    pause(PauseKind.CHANNEL, "email")

    drain(Channel.EMAIL)

    waiting = Notification.objects.values_list("status", "attempt", "claimed_until")
    assert list(waiting) == [(Status.CREATED, 0, None)] * 2
    assert smtp_sink.messages == []

    pauses.resume(PauseKind.CHANNEL, "email", audit.COMMAND)
    drain(Channel.EMAIL)

    assert len(smtp_sink.messages) == 2
    assert set(Notification.objects.values_list("status", flat=True)) == {Status.DELIVERED}


def test_the_other_channel_goes_on():
    email, text = make_notification(), make_notification(make_template(channel=Channel.SMS))
    pause(PauseKind.CHANNEL, "email")

    drain_messages()

    email.refresh_from_db()
    text.refresh_from_db()
    assert (email.status, text.status) == (Status.CREATED, Status.DELIVERED)


def test_the_rest_of_a_claimed_batch_is_put_back():
    message = make_notification()
    outbox = Outbox(Channel.EMAIL)
    [claim] = outbox.claim(10, [])
    pause(PauseKind.CHANNEL, "email")

    assert outbox.work(claim) is None
    outbox.record()

    message.refresh_from_db()
    assert (message.status, message.attempt, message.claimed_until, message.attempts) == (Status.CREATED, 0, None, [])


def test_messages_of_a_paused_provider_go_through_another(settings, smtp_sink: SmtpSink):
    with ScriptedServer() as paused:
        settings.PROVIDERS = [f"first={paused.url}", f"second={smtp_sink.url}"]
        message = make_notification()
        pause(PauseKind.PROVIDER, "first")

        drain(Channel.EMAIL)

        message.refresh_from_db()
        assert (message.provider, message.status, paused.contents) == ("second", Status.DELIVERED, [])


def test_a_channel_whose_providers_are_all_paused_claims_nothing(settings, smtp_sink: SmtpSink):
    settings.PROVIDERS = [f"first={smtp_sink.url}", f"second={smtp_sink.url}"]
    message = make_notification()
    for name in ("first", "second"):
        pause(PauseKind.PROVIDER, name)

    drain(Channel.EMAIL)

    message.refresh_from_db()
    assert (message.status, message.attempt, smtp_sink.messages) == (Status.CREATED, 0, [])
    assert not pauses.is_stopped(
        Channel.SMS, providers.names_for(Channel.SMS)
    )  # it has no provider here, which is not a pause

    pauses.resume(PauseKind.PROVIDER, "second", audit.COMMAND)
    drain(Channel.EMAIL)

    message.refresh_from_db()
    assert message.provider == "second"


def test_a_sweep_wakes_no_worker_for_a_stopped_channel():
    make_notification()
    pause(PauseKind.CHANNEL, "email")

    before = publishing.waiting("send-email")["send-email"]

    assert tasks.wake_for_due() == 0
    assert publishing.waiting("send-email")["send-email"] == before


@pytest.mark.parametrize(("paused_hours", "status"), [(4.9, Status.DELIVERED), (0.5, Status.TECHNICAL_FAILURE)])
def test_the_time_of_a_pause_does_not_count_towards_the_give_up_time(settings, paused_hours, status):
    settings.GIVE_UP_HOURS = {Channel.SMS: 4}
    now = timezone.now()
    message = make_notification(make_template(channel=Channel.SMS), due_at=now - hours(5))
    pause(PauseKind.CHANNEL, "sms", since=now - hours(paused_hours))
    pauses.resume(PauseKind.CHANNEL, "sms", audit.COMMAND)

    drain(Channel.SMS)

    message.refresh_from_db()
    assert message.status == status


def test_the_stopped_time_is_that_of_the_channel_or_of_all_its_providers_at_once():
    def made(kind: PauseKind, name: str, start: float, end: float | None) -> SendingPause:
        ended_at = None if end is None else MORNING + hours(end)
        return SendingPause(kind=kind, name=name, since=MORNING + hours(start), ended_at=ended_at)

    found = [
        made(PauseKind.CHANNEL, "sms", -5, 1),  # from before the message was due: one hour counts
        made(PauseKind.PROVIDER, "a", 0.5, 4),
        made(PauseKind.PROVIDER, "b", 3, None),  # beside a: from 3 to 4
        made(PauseKind.CHANNEL, "email", 1, 9),  # another channel
        made(PauseKind.PROVIDER, "mail", 1, 9),  # of another channel
    ]

    def total(names: list[str]) -> timedelta:
        return pauses.total_stopped(found, Channel.SMS, names, MORNING, MORNING + hours(6))

    assert total(["a", "b"]) == hours(2)
    assert total(["a"]) == hours(4)
    assert total(["a", "b", "c"]) == hours(1)
    assert total([]) == hours(1)


def test_a_pause_and_its_end_are_in_the_audit_once():
    assert pauses.pause(PauseKind.PROVIDER, "mail", audit.COMMAND, "They asked for it")
    assert not pauses.pause(PauseKind.PROVIDER, "mail", audit.COMMAND)
    assert pauses.resume(PauseKind.PROVIDER, "mail", audit.COMMAND)
    assert not pauses.resume(PauseKind.PROVIDER, "mail", audit.COMMAND)

    events = AuditEvent.objects.filter(object_kind="provider", object_id="mail").order_by("at")
    assert [(one.verb, one.reason) for one in events] == [("paused", "They asked for it"), ("resumed", "")]
