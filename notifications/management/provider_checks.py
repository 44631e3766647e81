"""The check of the providers for `manage.py doctor` and the deep check. Source: docs/reference/security.md §11."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.db import DatabaseError

from config.areas import Finding
from notifications.delivery import probes, providers
from notifications.delivery.providers import HasServer, Provider
from notifications.models import ProviderCircuit


def reachable() -> Finding:
    """Connect to each provider and name those that are unreachable or have an open circuit."""
    configured = providers.configured()
    names = ", ".join(provider.name for provider in configured)
    if settings.PROVIDERS == ["sandbox"]:
        names += " (nothing leaves this machine)"
    fixes = [*_open_circuits(configured), *_unreachable(configured)]
    return Finding(name="providers", seen=names, fix=" ".join(fixes))


def _unreachable(configured: Iterable[Provider]) -> Iterable[str]:
    servers = [(one.name, one.adapter.server) for one in configured if isinstance(one.adapter, HasServer)]
    if not servers:
        return
    with ThreadPoolExecutor(len(servers)) as threads:
        errors = threads.map(probes.connection_error, [server for _, server in servers])
    for (name, (host, port)), error in zip(servers, errors, strict=True):
        if error:
            why = type(error).__name__
            yield f"{name} cannot be reached at {host}:{port} ({why}): start it, or correct PROVIDERS."


def _open_circuits(configured: Iterable[Provider]) -> Iterable[str]:
    names = [provider.name for provider in configured]
    try:
        circuits = list(ProviderCircuit.objects.filter(provider__in=names).order_by("provider"))
    except DatabaseError:  # the database check reports it
        return
    if circuits:
        reasons = ", ".join(f"{circuit.provider} ({circuit.reason})" for circuit in circuits)
        yield f"Rejected by {reasons}: correct PROVIDERS or the account. Messages wait until then."
