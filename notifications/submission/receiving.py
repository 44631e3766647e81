"""Store texts that people send to a service. Source: docs/reference/sending-api.md §19.3."""

from datetime import datetime

import structlog
from django.db import transaction
from django.utils import timezone

from notifications.delivery.messages import IncomingText
from notifications.models import CallbackDelivery, Permission, ReceivedText, Service, SmsSender
from notifications.recipients import senders
from notifications.submission import text_keywords

_NUMBER = r"^[0-9 ()+-]+$"

log = structlog.get_logger()


def receive(text: IncomingText) -> None:
    """Store a text for the service that receives texts at its number. Drop it if there is no such service."""
    service = service_at(text.recipient)
    if service is None:
        log.info("received_text.dropped")
    else:
        store(service, text)


def service_at(number: str) -> Service | None:
    """Return the service that receives texts at a number, or None. One of its senders must be that number.

    If several services have the number, the one that has had it longest receives the texts. So a service cannot get the
    texts of another by adding its number.
    """
    wanted = senders.from_number(number)
    numbers = SmsSender.objects.filter(archived_at=None, sender__regex=_NUMBER).select_related("service")
    for sender in numbers.order_by("created_at", "id"):
        if senders.from_number(sender.sender) == wanted and takes_texts(sender.service):
            return sender.service
    return None


def takes_texts(service: Service) -> bool:
    return service.active and Permission.SMS in service.permissions


def store(service: Service, text: IncomingText, *, at: datetime | None = None) -> ReceivedText:
    """Store a text and its callback, and apply its keyword.

    Valid phone numbers are stored normalised, other senders unchanged.
    """
    with transaction.atomic():
        kept = ReceivedText.objects.create(
            service=service,
            notify_number=senders.from_number(text.recipient),
            user_number=senders.from_number(text.sender),
            content=text.content,
            created_at=at or timezone.now(),
        )
        CallbackDelivery.objects.owe_text(kept)
        text_keywords.apply(kept)
        return kept
