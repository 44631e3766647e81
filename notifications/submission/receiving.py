"""Texts that people send to a service. Source: docs/reference/sending-api.md §19.3."""

from datetime import datetime

import structlog
from django.db import transaction
from django.utils import timezone

from notifications.delivery.messages import IncomingText
from notifications.models import CallbackDelivery, Permission, ReceivedText, Service, SmsSender
from notifications.recipients import senders

_NUMBER = r"^[0-9 ()+-]+$"

log = structlog.get_logger()


def receive(text: IncomingText) -> None:
    """Keep a text for the service its number belongs to; one for nobody's number is dropped."""
    service = service_at(text.recipient)
    if service is None:
        log.info("received_text.dropped")
    else:
        store(service, text)


def service_at(number: str) -> Service | None:
    """Return the service that receives texts at a number: one of its senders is that number.

    Of several the one that has had it longest: nobody gets another's texts by adding their number to the own ones.
    """
    wanted = senders.from_number(number)
    numbers = SmsSender.objects.filter(archived_at=None, sender__regex=_NUMBER).select_related("service")
    for sender in numbers.order_by("created_at", "id").iterator():
        if senders.from_number(sender.sender) == wanted and takes_texts(sender.service):
            return sender.service
    return None


def takes_texts(service: Service) -> bool:
    return service.active and Permission.SMS in service.permissions


def store(service: Service, text: IncomingText, *, at: datetime | None = None) -> ReceivedText:
    """Keep one text, with the callback that is owed for it.

    Numbers are kept in their normal form where they are valid, else as they came.
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
        return kept
