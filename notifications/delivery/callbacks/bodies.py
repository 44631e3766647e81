"""The JSON bodies of callbacks. The same row always gives the same body. Source: docs/reference/sending-api.md §20."""

import json
from uuid import UUID

from django.conf import settings

from config.rest.content import write_moment
from notifications.models import CallbackDelivery, CallbackKind, Status

NO_TEMPLATE = UUID(int=0)  # of a test event


def body_of(delivery: CallbackDelivery) -> bytes:
    """Return the JSON of a final status, a received text or an unsubscribe request."""
    if delivery.endpoint.kind == CallbackKind.RECEIVED_TEXT_MESSAGE:
        content = _received_text(delivery)
    elif delivery.endpoint.kind == CallbackKind.UNSUBSCRIBE_REQUEST:
        content = _unsubscribe_request(delivery)
    elif delivery.notification is not None:
        content = _status(delivery)
    else:
        content = _test_status(delivery)
    return json.dumps(content, ensure_ascii=False).encode()


def _status(delivery: CallbackDelivery) -> dict[str, object]:
    notification = delivery.notification
    if notification is None:
        raise LookupError("a test event has no message")
    return {
        "id": str(notification.id),
        "reference": notification.reference,
        "to": notification.recipient,
        "status": delivery.status,
        "created_at": write_moment(notification.created_at),
        "completed_at": write_moment(delivery.completed_at),
        "sent_at": write_moment(delivery.sent_at),
        "notification_type": notification.channel,
        "template_id": str(notification.template_id),
        "template_version": notification.template_version,
    }


def _test_status(delivery: CallbackDelivery) -> dict[str, object]:
    """Return the status of an imaginary message. Its template is the nil UUID."""
    at = write_moment(delivery.created_at)
    return {
        "id": str(delivery.id),
        "reference": "test event",
        "to": f"test@{settings.EMAIL_DOMAIN}",
        "status": Status.DELIVERED.value,
        "created_at": at,
        "completed_at": at,
        "sent_at": at,
        "notification_type": "email",
        "template_id": str(NO_TEMPLATE),
        "template_version": 1,
    }


def _received_text(delivery: CallbackDelivery) -> dict[str, object]:
    text = delivery.received_text
    return {
        "id": str(text.id if text else delivery.id),
        "source_number": text.user_number if text else "447700900001",
        "destination_number": text.notify_number if text else settings.DEFAULT_SMS_SENDER,
        "message": text.content if text else "This is a test event.",
        "date_received": write_moment(text.created_at if text else delivery.created_at),
    }


def _unsubscribe_request(delivery: CallbackDelivery) -> dict[str, object]:
    request = delivery.unsubscribe_request
    return {
        "id": str(request.id if request else delivery.id),
        "notification_id": str(request.notification_id if request else delivery.id),
        "template_id": str(request.template_id if request else NO_TEMPLATE),
        "email_address": request.recipient if request else f"test@{settings.EMAIL_DOMAIN}",
        "created_at": write_moment(request.created_at if request else delivery.created_at),
    }
