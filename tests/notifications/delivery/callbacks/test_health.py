"""An endpoint that is gone, or fails for three days, is paused, and its owners are mailed."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from config import audit
from config.audit.models import ActorKind, AuditEvent
from notifications import tasks
from notifications.delivery.callbacks import health, owners
from notifications.models import (
    CallbackDelivery,
    CallbackEndpoint,
    PauseReason,
    Role,
    SandboxMessage,
    Service,
    TeamMember,
)
from tests.factories import make_callback, make_service, make_team_member
from tests.notifications.draining import drain_callbacks
from tests.receivers import Receiver

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def call(endpoint: CallbackEndpoint) -> None:
    CallbackDelivery.objects.owe_test(endpoint)
    drain_callbacks()
    endpoint.refresh_from_db()


def move_on(**elapsed: Any) -> None:
    """Move the time of the endpoints."""
    for endpoint in CallbackEndpoint.objects.exclude(failing_since=None):
        CallbackEndpoint.objects.filter(pk=endpoint.pk).update(
            failing_since=endpoint.failing_since - timedelta(**elapsed)
        )


def make_owner(service: Service, address: str, *roles: Role) -> None:
    TeamMember.objects.filter(pk=make_team_member(service, address).pk).update(roles=list(roles))


def mails() -> dict[str, str]:
    contents = [message.content for message in SandboxMessage.objects.all()]
    return {content.to: f"{content.subject}\n{content.text}" for content in contents}


@pytest.mark.fault("B9")
def test_three_days_of_failures_pause_an_endpoint():
    with Receiver(500) as receiver:
        endpoint = make_callback(url=receiver.url)
        call(endpoint)
        assert endpoint.failing_since is not None
        move_on(hours=71)
        call(endpoint)
        assert endpoint.paused_at is None

        move_on(hours=1)
        call(endpoint)

    assert (endpoint.pause_reason, endpoint.paused_at is not None) == (PauseReason.FAILING, True)
    [event] = AuditEvent.objects.filter(verb="paused")
    assert (event.actor_kind, event.service_id, event.after) == (
        ActorKind.CLOCK, endpoint.service_id, {"pause_reason": "failing"},
    )  # fmt: skip


def test_one_success_restarts_the_three_days():
    with Receiver(500, 200, 500) as receiver:
        endpoint = make_callback(url=receiver.url)
        call(endpoint)
        move_on(hours=73)

        call(endpoint)
        assert endpoint.failing_since is None
        call(endpoint)

    assert endpoint.paused_at is None
    assert timezone.now() - endpoint.failing_since < HOUR


def test_410_pauses_at_once():
    with Receiver(410) as receiver:
        endpoint = make_callback(url=receiver.url)
        call(endpoint)

    assert endpoint.pause_reason == PauseReason.GONE


def test_a_pause_happens_and_is_mailed_once():
    endpoint = make_callback()

    assert health.pause(endpoint, PauseReason.GONE)
    assert not health.pause(endpoint, PauseReason.FAILING)

    endpoint.refresh_from_db()
    assert endpoint.pause_reason == PauseReason.GONE
    assert AuditEvent.objects.filter(verb="paused").count() == 1


def test_only_the_managers_of_the_service_are_mailed_once():
    service = make_service(name="Tides")
    make_owner(service, "mina@example.org", Role.MANAGE_SERVICE)
    make_owner(service, "jo@example.org", Role.SEE_ACTIVITY, Role.MANAGE_SERVICE)
    make_owner(service, "reads@example.org", Role.SEE_ACTIVITY, Role.MANAGE_API)
    make_owner(make_service(), "other@example.org", Role.MANAGE_SERVICE)
    endpoint = make_callback(service, "https://hooks.example.org/secret-path?token=secret-query")
    health.pause(endpoint, PauseReason.FAILING)

    for _ in range(2):
        tasks.notify_owners(str(endpoint.id))

    told = mails()
    assert SandboxMessage.objects.count() == 2
    assert set(told) == {"mina@example.org", "jo@example.org"}
    assert "A callback of Tides is paused" in told["mina@example.org"]
    assert "hooks.example.org" in told["mina@example.org"]
    assert "Every call has failed for three days." in told["mina@example.org"]
    assert f"/admin/notifications/callbackendpoint/{endpoint.id}/change/" in told["mina@example.org"]
    assert "secret" not in told["mina@example.org"]
    assert owners.waiting() == []


def test_without_managers_the_operators_are_mailed():
    User.objects.create_superuser("op", "op@example.org", "a-long-password-1")
    User.objects.create_superuser("mute", "", "a-long-password-1")
    User.objects.create_user("jo", "jo@example.org", "a-long-password-1")
    endpoint = make_callback()
    health.pause(endpoint, PauseReason.GONE)

    owners.mail(endpoint.id)

    assert set(mails()) == {"op@example.org"}


def test_the_sweep_finds_pauses_that_were_not_mailed():
    first, second, third = make_callback(), make_callback(), make_callback()
    health.pause(first, PauseReason.GONE)
    health.pause(second, PauseReason.PERSON)

    assert owners.waiting() == [first.id]
    assert third.paused_at is None


def test_an_email_without_a_provider_is_retried_in_five_minutes(settings):
    settings.PROVIDERS = ["mail=smtp://127.0.0.1:1"]  # nothing listens there
    service = make_service()
    make_owner(service, "mina@example.org", Role.MANAGE_SERVICE)
    endpoint = make_callback(service)
    health.pause(endpoint, PauseReason.GONE)

    owners.mail(endpoint.id)

    endpoint.refresh_from_db()
    assert endpoint.notify_owners_at > timezone.now() + timedelta(minutes=4)
    settings.PROVIDERS = ["sandbox"]
    CallbackEndpoint.objects.update(notify_owners_at=timezone.now() - HOUR)
    owners.mail(endpoint.id)
    assert set(mails()) == {"mina@example.org"}


def test_an_endpoint_that_resumed_meanwhile_is_not_mailed():
    service = make_service()
    make_owner(service, "mina@example.org", Role.MANAGE_SERVICE)
    endpoint = make_callback(service)
    health.pause(endpoint, PauseReason.GONE)
    health.resume(endpoint, audit.CLOCK)

    owners.mail(endpoint.id)

    endpoint.refresh_from_db()
    assert (mails(), endpoint.paused_at, endpoint.failing_since) == ({}, None, None)
