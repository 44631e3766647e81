"""The stored results, counts and open circuit breakers of providers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.metrics import registry
from notifications.delivery import providers, results
from notifications.models import AttemptResult, Channel, OpenBreaker, ProviderCount, ProviderResult
from tests.factories import make_notification, make_service, make_template
from tests.notifications.delivery.mail_servers import ScriptedServer
from tests.notifications.draining import drain

pytestmark = pytest.mark.django_db


def note(provider: str, result: AttemptResult = AttemptResult.ACCEPTED, number: int = 1) -> None:
    for _ in range(number):
        results.note(provider, result, error="", seconds=0.0123)


def test_each_attempt_is_stored_with_its_error_and_without_its_recipient(settings):
    template = make_template(make_service())
    with ScriptedServer() as server:
        settings.PROVIDERS = [f"mail-1={server.url}"]
        make_notification(template)
        drain(Channel.EMAIL)
        server.answers["RCPT"] = "550 no such user ana@example.com"
        make_notification(template)
        drain(Channel.EMAIL)
        server.answers["RCPT"] = "451 later"
        make_notification(template)
        drain(Channel.EMAIL)
        registry.flush()

    stored = ProviderResult.objects.filter(provider="mail-1").order_by("pk")
    assert [(one.result, one.error) for one in stored] == [
        ("accepted", ""),
        ("permanent", "550 at RCPT"),
        ("temporary", "451 at RCPT"),
    ]
    counts = ProviderCount.objects.filter(provider="mail-1").values_list("result", "number")
    assert dict(counts) == {"accepted": 1, "permanent": 1, "temporary": 1}


def test_the_newest_fifty_results_of_each_provider_are_kept():
    note("busy", number=40)
    note("quiet", AttemptResult.FAILED)
    registry.flush()
    note("busy", AttemptResult.REJECTED, number=30)
    registry.flush()

    found = ProviderResult.objects.filter(provider="busy").order_by("-at", "-id").values_list("result", flat=True)
    assert list(found) == ["permanent"] * 30 + ["accepted"] * 20
    assert ProviderResult.objects.filter(provider="quiet").count() == 1
    assert sum(ProviderCount.objects.filter(provider="busy").values_list("number", flat=True)) == 70


def test_counts_older_than_a_day_are_deleted():
    old = timezone.now() - timedelta(hours=26)
    ProviderCount.objects.create(provider="busy", began_at=old, result="accepted", number=9)

    note("busy")
    registry.flush()

    assert [one.number for one in ProviderCount.objects.all()] == [1]


def test_an_open_breaker_of_a_process_is_stored_until_it_closes(settings):
    settings.PROVIDERS = ["mail-2=smtp://127.0.0.1:1"]
    [provider] = providers.configured()
    try:
        for _ in range(providers.FAILURES):
            provider.breaker.note_failure()
        registry.flush()

        stored = OpenBreaker.objects.get(provider="mail-2")
        assert timezone.now() < stored.half_open_at <= timezone.now() + timedelta(seconds=providers.OPEN_SECONDS)
    finally:
        provider.breaker.note_success()
    registry.flush()

    assert not OpenBreaker.objects.exists()
