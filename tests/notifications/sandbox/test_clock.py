"""The test clock moves schedules, retries and retention of one service or of all."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import models
from django.utils import timezone

from notifications.models import BulkSend, CallbackDelivery, Notification, SandboxEvent, Status, Suppression
from notifications.sandbox import clock
from tests import factories
from tests.at_once import at_once
from tests.notifications.draining import drain_messages

DAYS = timedelta(days=3)
# These times do not move: they belong to claims and leases, to setup, to the whole installation, or to real days.
KEPT = {
    "ApiCallError.at", "ApiKey.created_at", "ApiKey.last_used_at", "ApiKey.revoked_at", "BulkSend.seen_at",
    "BulkSend.updated_at", "CallbackDelivery.claimed_until", "CallbackDelivery.enqueued_at",
    "CallbackEndpoint.created_at", "CallbackEndpoint.notify_owners_at", "CallbackEndpoint.paused_at",
    "ClientTries.window_started_at", "CountedDay.counted_at", "DataSetEvent.created_at", "DataSetEvent.last_write_at",
    "EarlyReceipt.at", "EarlyReceipt.received_at", "EmailForward.created_at", "EmailForward.mail_at",
    "EmailForward.refused_at", "FailingCalls.last_at", "GoLiveRequest.answered_at", "GoLiveRequest.created_at",
    "GoLiveRequest.mail_at", "GuestListEntry.created_at", "HourlyCalls.at", "IdempotencyRecord.claimed_until",
    "LimitChange.created_at", "LimitChange.ended_at", "LimitChange.until", "LimitNotice.mail_at",
    "LogExport.created_at", "LogExport.expires_at", "LogExport.finished_at", "Notification.claimed_until",
    "Notification.enqueued_at", "OpenBreaker.half_open_at", "ProtectedName.created_at", "ProviderCircuit.probe_at",
    "ProviderCircuit.since", "ProviderCount.began_at", "ProviderResult.at", "ReplyToAddress.archived_at",
    "ReplyToAddress.confirmed_at", "ReplyToAddress.created_at", "ReplyToAddress.last_used_at", "ReplyToAddress.mail_at",
    "SandboxHook.created_at", "SandboxHookCall.received_at", "SandboxRule.created_at", "SendingPause.ended_at",
    "SendingPause.since", "Service.archived_at", "Service.created_at", "SmsSender.archived_at", "SmsSender.created_at",
    "SmsSender.last_used_at", "TeamMember.created_at", "Template.archived_at", "Template.created_at",
    "Template.updated_at", "TemplateFile.created_at", "TemplateVersion.created_at", "TextPart.received_at",
    "UnsubscribeProbe.created_at",
}  # fmt: skip


@pytest.fixture(autouse=True)
def only_the_sandbox(settings):
    settings.PROVIDERS = ["sandbox"]


def advance(call, **body):
    return call("POST", "clock", {"advance_seconds": int(DAYS.total_seconds()), **body})


def test_each_time_of_the_area_moves_or_is_known_to_stay():
    times = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("notifications").get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.DateTimeField)
    }
    moved = {f"{model.__name__}.{name}" for model, (_, names) in clock.MOVED.items() for name in names.split()}

    assert times - moved - KEPT == set()
    assert moved & KEPT == set()
    assert moved | KEPT <= times


def test_a_scheduled_message_is_sent_three_days_later(call):
    template = factories.make_template()
    at = timezone.now() + timedelta(days=2)
    message = factories.make_notification(template, scheduled_for=at, due_at=at, next_attempt_at=at)
    drain_messages()
    message.refresh_from_db()
    assert message.status == Status.CREATED

    assert advance(call).json() == {"advanced_seconds": 259200, "service_id": None}
    drain_messages()
    message.refresh_from_db()

    assert message.status == Status.DELIVERED
    assert message.scheduled_for == at - DAYS


def test_the_clock_of_one_service_leaves_the_others(call):
    mine, other = factories.make_notification(), factories.make_notification()

    assert advance(call, service_id=str(mine.service_id)).status_code == 200

    moved, same = Notification.objects.get(pk=mine.pk), Notification.objects.get(pk=other.pk)
    assert (moved.created_at, same.created_at) == (mine.created_at - DAYS, other.created_at)


def test_suppressions_callbacks_and_events_become_due(call):
    service = factories.make_service()
    factories.make_suppression(service, expires_at=timezone.now() + timedelta(days=2))
    message = factories.make_notification(factories.make_template(service))
    endpoint = factories.make_callback(service)
    later = timezone.now() + timedelta(days=1)
    CallbackDelivery.objects.create(endpoint=endpoint, notification=message, status="delivered", next_attempt_at=later)
    SandboxEvent.objects.store(message.pk, "delivered", seconds=3600)
    assert (CallbackDelivery.objects.due().count(), SandboxEvent.objects.due().count()) == (0, 0)

    advance(call, service_id=str(service.pk))

    assert not Suppression.objects.active().exists()
    assert (CallbackDelivery.objects.due().count(), SandboxEvent.objects.due().count()) == (1, 1)


def test_a_row_without_a_time_keeps_none(call):
    factories.make_bulk_send()

    advance(call)

    assert BulkSend.objects.get().paused_at is None


@pytest.mark.parametrize(
    ("providers", "environment"),
    [(["sandbox", "smtp-1=smtp://127.0.0.1:2525"], "test"), (["sandbox"], "production")],
)
def test_the_clock_stands_where_messages_reach_people(call, settings, providers, environment):
    message = factories.make_notification()
    settings.PROVIDERS, settings.ENVIRONMENT = providers, environment

    answer = advance(call)

    assert answer.status_code == 403
    assert answer.headers["Link"].endswith('/docs/#errors-sandbox-clock>; rel="help"')
    assert Notification.objects.get().created_at == message.created_at


def test_the_clock_can_move_often_because_times_long_past_stay(call):
    message = factories.make_notification(created_at=clock.EARLIEST + timedelta(days=4))

    for _ in range(2):
        assert advance(call).status_code == 200

    message.refresh_from_db()
    assert message.created_at == clock.EARLIEST + timedelta(days=1)


@pytest.mark.django_db(transaction=True)
def test_clocks_that_move_at_once_add_up():
    messages = [factories.make_notification() for _ in range(2)]

    at_once(lambda number: [clock.advance(5, messages[number % 2].service) for _ in range(5)])

    for message in messages:
        moved = message.created_at - Notification.objects.get(pk=message.pk).created_at
        assert moved == timedelta(seconds=50)


@pytest.mark.parametrize("seconds", [0, -1, 1.5, "60", 4 * 366 * 24 * 3600])
def test_a_wrong_time_is_refused(call, seconds):
    assert call("POST", "clock", {"advance_seconds": seconds}).status_code == 400
