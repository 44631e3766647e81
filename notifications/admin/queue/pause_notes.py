"""Warnings about pauses, for the overview and the page of the queues. Source: docs/reference/console.md §3.14."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse

from notifications.admin import permissions
from notifications.models import Channel, PauseKind, SendingPause

_TITLES = {Channel.EMAIL: "Emails are paused", Channel.SMS: "Text messages are paused"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseNote:
    """One pause. Only operators see by whom and why it was made, and the URL that ends it."""

    title: str
    since: datetime
    by: str = ""
    reason: str = ""
    url: str = ""


def notes(request: HttpRequest) -> list[PauseNote]:
    """Return the current pauses of channels, and for operators also those of providers."""
    pauses = SendingPause.objects.current().order_by("since")
    if permissions.is_operator(request):
        urls = [reverse(f"admin:queue_resume_{pause.kind}", args=[pause.name]) for pause in pauses]
        return [
            PauseNote(title=_title(pause), since=pause.since, by=pause.by, reason=pause.reason, url=url)
            for pause, url in zip(pauses, urls, strict=True)
        ]
    return [PauseNote(title=_title(pause), since=pause.since) for pause in pauses.filter(kind=PauseKind.CHANNEL)]


def _title(pause: SendingPause) -> str:
    is_channel = pause.kind == PauseKind.CHANNEL
    return _TITLES[Channel(pause.name)] if is_channel else f"The provider {pause.name} is paused"
