"""The providers on the page: their share of the messages, circuit breaker and newest results, in words.

Source: docs/reference/console.md §3.14.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Sum
from django.db.models.functions import Now
from django.utils import timezone

from config import formats
from config.queue.worker_processes import COUNTED_SECONDS, WorkerProcess
from notifications.delivery import providers
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.providers import Provider
from notifications.delivery.providers.sandbox import SANDBOX
from notifications.models import (
    AttemptResult,
    OpenBreaker,
    PauseKind,
    ProviderCircuit,
    ProviderCount,
    ProviderResult,
    SendingPause,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
Counts = dict[tuple[str, str], int]  # provider and result → number
TONES = {
    AttemptResult.ACCEPTED: "good",
    AttemptResult.REJECTED: "warn",
    AttemptResult.FAILED: "bad",
    AttemptResult.UNCERTAIN: "bad",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """The state of a circuit breaker in plain words. tone: of the label"""

    label: str
    tone: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRow:
    """One provider. place: its number in PROVIDERS; hour, day: its part of the hand-overs in this time, in words"""

    name: str
    scheme: str
    channels: str
    place: int
    weight: int | None
    breaker: Breaker
    hour: str
    day: str
    pause: SendingPause | None


def rows(pauses: dict[tuple[str, str], SendingPause]) -> list[ProviderRow]:
    """Return the configured providers in the order of PROVIDERS, with four queries for all of them."""
    configured = providers.configured()
    hour, day = _counts(HOUR), _counts(DAY)
    circuits = {circuit.provider: circuit for circuit in ProviderCircuit.objects.all()}
    open_breakers = _open_breakers()
    schemes = dict(zip((one.name for one in configured), map(_scheme, settings.PROVIDERS), strict=True))
    return [
        ProviderRow(
            name=provider.name,
            scheme=schemes[provider.name],
            channels=_channels(provider),
            place=place,
            weight=provider.weight,
            breaker=_breaker(circuits.get(provider.name), open_breakers.get(provider.name, [])),
            hour=_share(provider, configured, hour),
            day=_share(provider, configured, day),
            pause=pauses.get((PauseKind.PROVIDER.value, provider.name)),
        )
        for place, provider in enumerate(configured, 1)
    ]


def newest_results(name: str) -> list[tuple[ProviderResult, str]]:
    """Return the newest results of a provider with the tone of their labels, newest first. They have no recipient."""
    found = ProviderResult.objects.filter(provider=name).order_by("-at", "-id")
    return [(one, TONES[AttemptResult(one.result)]) for one in found[:50]]


def is_sandbox_only() -> bool:
    return [provider.name for provider in providers.configured()] == [SANDBOX]


def _counts(length: timedelta) -> Counts:
    counted = ProviderCount.objects.filter(began_at__gte=timezone.now() - length).order_by()
    return {
        (row["provider"], row["result"]): row["sum"]
        for row in counted.values("provider", "result").annotate(sum=Sum("number"))
    }


def _open_breakers() -> dict[str, list[datetime]]:
    """Return when the breakers of running worker processes are half-open, by provider."""
    running = WorkerProcess.objects.filter(seen_at__gte=Now() - timedelta(seconds=COUNTED_SECONDS)).values("holder")
    found: dict[str, list[datetime]] = {}
    for name, at in OpenBreaker.objects.filter(holder__in=running).values_list("provider", "half_open_at"):
        found.setdefault(name, []).append(at)
    return found


def _breaker(circuit: ProviderCircuit | None, half_open_at: list[datetime]) -> Breaker:
    now = timezone.now()
    if circuit is not None:
        since = f"The provider has rejected the login since {formats.spoken(circuit.since)} ({circuit.reason})."
        if circuit.probe_at <= now:
            return Breaker(label="Half open", tone="warn", sentence=f"{since} The next message tests it.")
        tested = f"One message a minute tests it, the next at {formats.clock(circuit.probe_at)}."
        return Breaker(label="Open", tone="bad", sentence=f"{since} {tested} Correct PROVIDERS or the account.")
    still_open = [at for at in half_open_at if at > now]
    if still_open:
        where = formats.counted(len(still_open), "worker process sends", "worker processes send")
        sentence = f"Five attempts in a row failed: {where} nothing to it until {formats.clock(max(still_open))}."
        return Breaker(label="Open", tone="bad", sentence=sentence)
    if half_open_at:
        return Breaker(label="Half open", tone="warn", sentence="Attempts failed. The next message tests the provider.")
    return Breaker(label="Closed", tone="good", sentence="Messages go to it.")


def _share(provider: Provider, configured: Iterable[Provider], counts: Counts) -> str:
    """Return the accepted messages, their share of those of providers for the same channels, and the failures."""
    rivals = {one.name for one in configured if set(one.adapter.carries) & set(provider.adapter.carries)}
    accepted = counts.get((provider.name, AttemptResult.ACCEPTED), 0)
    total = sum(n for (name, result), n in counts.items() if result == AttemptResult.ACCEPTED and name in rivals)
    others = {
        "rejected": counts.get((provider.name, AttemptResult.REJECTED), 0),
        "failed": counts.get((provider.name, AttemptResult.FAILED), 0),
        "unknown": counts.get((provider.name, AttemptResult.UNCERTAIN), 0),
    }
    parts = [f"{formats.number(accepted)} accepted"]
    if total:
        parts[0] += f" ({formats.percent(100 * accepted / total)})"
    parts += [f"{formats.number(n)} {word}" for word, n in others.items() if n]
    return ", ".join(parts) if accepted or len(parts) > 1 else "None"


def _channels(provider: Provider) -> str:
    carried = sorted("emails" if kind is OutgoingEmail else "text messages" for kind in provider.adapter.carries)
    return " and ".join(carried).capitalize()


def _scheme(entry: str) -> str:
    return entry.partition("=")[2].partition("://")[0] or entry
