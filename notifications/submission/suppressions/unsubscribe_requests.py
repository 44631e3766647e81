"""Find unsubscribe requests by their link, and store each request once."""

from dataclasses import dataclass

import structlog
from django.db import transaction

from notifications.delivery import suppressions, unsubscribe_links
from notifications.delivery.unsubscribe_links import LinkedEmail
from notifications.models import (
    CallbackDelivery,
    Service,
    SuppressionReason,
    SuppressionSource,
    Template,
    UnsubscribeRequest,
)
from notifications.recipients import normalise

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """The email and service of an unsubscribe link. request: None until the recipient confirms"""

    email: LinkedEmail
    service: Service
    request: UnsubscribeRequest | None


def find(token: str) -> Subscription | None:
    """Return the subscription of a link, or None if the link is broken or its service or template does not exist.

    token: the last part of the URL
    """
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
    """Store a request and its callback, suppress the recipient, and return the request.

    If the email has a request, return that one.
    """
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
            suppressions.add_recipient(
                service_id=email.service_id,
                recipient=email.recipient,
                normalised_recipient=normalise(email.recipient),
                reason=SuppressionReason.UNSUBSCRIBE,
                source=SuppressionSource.RECIPIENT,
                notification_id=email.notification_id,
            )
    if is_new:
        log.info("unsubscribe_request.stored", service_id=str(email.service_id), unsubscribe_request_id=str(request.id))
    return request
