"""Requests of recipients for no more emails like one that they got: found by their link, and stored once."""

from dataclasses import dataclass

import structlog
from django.db import transaction

from notifications.delivery import unsubscribe_links
from notifications.delivery.unsubscribe_links import LinkedEmail
from notifications.models import CallbackDelivery, Service, Template, UnsubscribeRequest

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """What a link leads to. request: None while the recipient has not confirmed."""

    email: LinkedEmail
    service: Service
    request: UnsubscribeRequest | None


def find(token: str) -> Subscription | None:
    """Return what the end of a link leads to. None: the link is broken, or its service or template is not here."""
    email = unsubscribe_links.read(token)
    if email is None:
        return None
    templates = Template.objects.select_related("service")
    template = templates.filter(id=email.template_id, service_id=email.service_id).first()
    if template is None:
        return None
    request = UnsubscribeRequest.objects.filter(notification_id=email.notification_id).first()
    return Subscription(email=email, service=template.service, request=request)


def confirm(email: LinkedEmail) -> UnsubscribeRequest:
    """Store the request with its callback, and return it. A second time, or twice at once, the first one stays."""
    with transaction.atomic():
        request, is_new = UnsubscribeRequest.objects.get_or_create(
            notification_id=email.notification_id,
            defaults={
                "service_id": email.service_id,
                "template_id": email.template_id,
                "recipient": email.recipient,
                "email_created_at": email.created_at,
            },
        )
        if is_new:
            CallbackDelivery.objects.owe_unsubscribe_request(request)
    if is_new:
        log.info("unsubscribe_request.stored", service_id=str(email.service_id), unsubscribe_request_id=str(request.id))
    return request
