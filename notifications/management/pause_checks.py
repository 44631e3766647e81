"""Pauses of channels and providers, for metrics and `manage.py doctor`. Source: docs/reference/security.md §11."""

from collections.abc import Iterator

from config import formats
from config.areas import Finding, Pausable
from notifications.delivery import providers
from notifications.models import Channel, PauseKind, SendingPause


def pausables() -> Iterator[Pausable]:
    """Return each channel and each configured provider."""
    paused = set(SendingPause.objects.current().values_list("kind", "name"))
    names = [(PauseKind.CHANNEL.value, channel.value) for channel in Channel]
    names += [(PauseKind.PROVIDER.value, provider.name) for provider in providers.configured()]
    for kind, name in names:
        yield Pausable(kind=kind, name=name, is_paused=(kind, name) in paused)


def paused() -> Finding:
    """Report what operators have paused, because its messages wait until somebody resumes it."""
    found = list(SendingPause.objects.current().order_by("since"))
    if not found:
        return Finding(name="pauses", seen="nothing is paused")
    seen = ", ".join(f"{pause.kind} {pause.name} since {formats.spoken(pause.since)} by {pause.by}" for pause in found)
    return Finding(name="pauses", seen=seen, fix="Resume it at operations/queue/: its messages wait.")
