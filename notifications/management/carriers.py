"""What `manage.py doctor` and the deep check see of the providers. Source: Security and reliability §11."""

import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.db import DatabaseError

from config.management.parts import Finding
from notifications.delivery import providers
from notifications.delivery.carrier import Carrier, HasServer
from notifications.models import ProviderPause

CONNECT_SECONDS = 3.0


def carriers() -> Finding:
    """Connect to each provider, and name those that cannot be reached or that refuse us."""
    configured = providers.configured()
    names = ", ".join(carrier.name for carrier in configured)
    if settings.PROVIDERS == ["sandbox"]:
        names += " (nothing leaves this machine)"
    faults = [*_paused(configured), *_unreachable(configured)]
    return Finding(name="providers", seen=names, fix=" ".join(faults))


def _unreachable(configured: Iterable[Carrier]) -> Iterable[str]:
    servers = [(one.name, one.provider.server) for one in configured if isinstance(one.provider, HasServer)]
    if not servers:
        return
    with ThreadPoolExecutor(len(servers)) as threads:
        reasons = threads.map(_reason, [server for _, server in servers])
    for (name, (host, port)), reason in zip(servers, reasons, strict=True):
        if reason:
            yield f"{name} cannot be reached at {host}:{port} ({reason}): start it, or correct PROVIDERS."


def _reason(server: tuple[str, int]) -> str:
    """Return why there is no connection; empty: there is one."""
    try:
        socket.create_connection(server, CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:  # the latter is a host that cannot be written for a look-up
        return type(error).__name__
    return ""


def _paused(configured: Iterable[Carrier]) -> Iterable[str]:
    try:
        pauses = list(ProviderPause.objects.filter(provider__in=[one.name for one in configured]).order_by("provider"))
    except DatabaseError:  # told by another check; whether they can be reached is seen without it
        return
    if pauses:
        paused = ", ".join(f"{pause.provider} ({pause.reason})" for pause in pauses)
        yield f"Refused by {paused}: correct PROVIDERS or the account; messages wait meanwhile."
