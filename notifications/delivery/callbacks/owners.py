"""Emails to the managers of a service when Signalbox has paused one of its callbacks.

The providers of PROVIDERS send them, so they arrive in the sandbox inbox in development.
Source: docs/reference/sending-api.md §20; docs/reference/console.md §3.8.
"""

from urllib.parse import urlsplit
from uuid import UUID, uuid5

import structlog
from django.conf import settings
from django.db.models.functions import Now
from django.urls import reverse

from notifications.delivery import own_email, own_people
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.own_email import AGAIN_AFTER, Handed, LinkParagraph
from notifications.models import CallbackEndpoint, PauseReason

_WHY = {
    PauseReason.GONE: "The endpoint answered 410, which means that it no longer exists.",
    PauseReason.FAILING: "Every call has failed for three days.",
}

log = structlog.get_logger()


def waiting() -> list[UUID]:
    """Return the paused endpoints whose owners have not had an email yet."""
    return list(CallbackEndpoint.objects.filter(notify_owners_at__lte=Now()).values_list("id", flat=True))


def mail(endpoint_id: UUID) -> None:
    """Email the owners of a paused endpoint. If that fails, a retry follows in 5 minutes."""
    waiting = CallbackEndpoint.objects.filter(id=endpoint_id, notify_owners_at__lte=Now())
    if not waiting.update(notify_owners_at=Now() + AGAIN_AFTER):
        return
    endpoint = CallbackEndpoint.objects.select_related("service").get(id=endpoint_id)
    messages = _messages(endpoint)
    handed = [own_email.hand_over(message, about="callback paused") for message in messages]
    taken = [one is not Handed.NOT_YET for one in handed]  # a permanent rejection is not retried
    if any(taken) or not messages:  # no owner gets the email twice because another did not get it
        CallbackEndpoint.objects.filter(id=endpoint_id, paused_at=endpoint.paused_at).update(notify_owners_at=None)
    log.info("callback.owners_mailed", endpoint_id=str(endpoint_id), mails=len(messages), taken=sum(taken))


def _messages(endpoint: CallbackEndpoint) -> list[OutgoingEmail]:
    page = settings.BASE_URL + reverse("admin:notifications_callbackendpoint_change", args=[endpoint.pk])
    # Only the host: the path and query of such a URL may contain secrets.
    paragraphs: list[str | LinkParagraph] = [
        f"Signalbox no longer calls {urlsplit(endpoint.url).hostname} for the service {endpoint.service.name} "
        f"({endpoint.name or endpoint.get_kind_display().lower()}).",
        _WHY.get(PauseReason(endpoint.pause_reason), ""),
        "Signalbox keeps new events as long as the service keeps its messages. To send them, resume the callback:",
        LinkParagraph(page),
    ]
    text = own_email.compose(f"A callback of {endpoint.service.name} is paused", paragraphs)
    return [
        own_email.write(text, to=to, identifier=uuid5(endpoint.id, f"{endpoint.paused_at} {to}"))
        for to in own_people.managers_of(endpoint.service)
    ]
