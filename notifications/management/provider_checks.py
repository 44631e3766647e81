"""The check of the providers for `manage.py doctor` and the deep check. Source: docs/reference/security.md §11."""

import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.db import DatabaseError

from config.areas import Finding
from notifications.delivery import providers
from notifications.delivery.providers import HasServer, Provider
from notifications.models import ProviderCircuit

CONNECT_SECONDS = 3.0


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
        reasons = threads.map(_reason, [server for _, server in servers])
    for (name, (host, port)), reason in zip(servers, reasons, strict=True):
        if reason:
            yield f"{name} cannot be reached at {host}:{port} ({reason}): start it, or correct PROVIDERS."


def _reason(server: tuple[str, int]) -> str:
    """Return the reason why a connection fails, or an empty string."""
    try:
        socket.create_connection(server, CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:  # ValueError: the host name cannot be encoded for DNS
        return type(error).__name__
    return ""


def _open_circuits(configured: Iterable[Provider]) -> Iterable[str]:
    names = [provider.name for provider in configured]
    try:
        circuits = list(ProviderCircuit.objects.filter(provider__in=names).order_by("provider"))
    except DatabaseError:  # the database check reports it
        return
    if circuits:
        reasons = ", ".join(f"{circuit.provider} ({circuit.reason})" for circuit in circuits)
        yield f"Rejected by {reasons}: correct PROVIDERS or the account. Messages wait until then."
