"""Circuit breakers of providers, shared by all processes. A circuit opens when a provider rejects Signalbox itself.

Source: docs/reference/security.md §11.
"""

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

PROBE_EVERY = timedelta(minutes=1)


class ProviderCircuitQuerySet(models.QuerySet["ProviderCircuit"]):
    def open(self, provider: str, reason: str) -> bool:
        """Stop sending through a provider for PROBE_EVERY. Return whether the circuit was closed before."""
        circuit, is_new = self.get_or_create(
            provider=provider, defaults={"reason": reason, "probe_at": timezone.now() + PROBE_EVERY}
        )
        if not is_new:
            self.filter(pk=circuit.pk).update(reason=reason, probe_at=Now() + PROBE_EVERY)
        return is_new

    def may_probe(self, provider: str) -> bool:
        """Return whether the caller may send the one message in PROBE_EVERY that tests the provider."""
        due = self.filter(provider=provider, probe_at__lte=Now())
        return bool(due.update(probe_at=Now() + PROBE_EVERY))

    def close(self, provider: str) -> bool:
        return bool(self.filter(provider=provider).delete()[0])


class ProviderCircuit(models.Model):
    """An open circuit. reason: a few words such as `401`, never content of messages."""

    provider = models.CharField(max_length=60, primary_key=True)
    reason = models.CharField(max_length=200)
    since = models.DateTimeField(default=timezone.now)
    probe_at = models.DateTimeField()

    objects = ProviderCircuitQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Circuit of {self.provider}"
