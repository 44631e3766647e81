"""The JSON bodies of callbacks. Source: docs/callbacks.md; docs/reference/sending-api.md §20.

The same row always gives the same body, except for the numbers of a bulk send, which a cancellation may still change,
and the reference of a message that is deleted.
"""

import json
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from django.conf import settings

from config.rest.content import write_moment
from notifications.models import (
    BulkState,
    CallbackDelivery,
    CallbackEvent,
    CallbackKind,
    Channel,
    Notification,
    ReceivedContent,
    Status,
    SuppressionReason,
    SuppressionSource,
)

NO_TEMPLATE = UUID(int=0)  # of a test event

_TEST_STATUSES = {
    CallbackEvent.MESSAGE_DELIVERED: Status.DELIVERED,
    CallbackEvent.MESSAGE_FAILED: Status.PERMANENT_FAILURE,
    CallbackEvent.MESSAGE_SENT: Status.SENDING,
}

_TEST_ALARM = {"alarm": "Test", "measure": "minutes", "value": 61.0, "condition": "above", "limit": 60.0}
_TEST_DETAILS: dict[CallbackEvent, dict[str, object]] = {
    CallbackEvent.DATA_SET_WRITTEN: {"last_write_at": "2026-01-01T00:00:00Z", "records": 1},
    CallbackEvent.DATA_SET_EMPTIED: {"removed": 1},
    CallbackEvent.ALARM_RAISED: {**_TEST_ALARM},
    CallbackEvent.ALARM_ENDED: {**_TEST_ALARM, "value": 0.0},
}


def body_of(delivery: CallbackDelivery) -> bytes:
    """Return the JSON of an event: its data, and its type and time around it if the endpoint is for any event."""
    data = _DATA[delivery.event_type](delivery)
    content = data
    if delivery.endpoint.kind == CallbackKind.EVENTS:
        content = {"type": delivery.event_type.value, "timestamp": write_moment(delivery.created_at), "data": data}
    return json.dumps(content, ensure_ascii=False).encode()


def _status(delivery: CallbackDelivery) -> dict[str, object]:
    notification = delivery.notification
    if notification is None:
        return _test_status(delivery)
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
    status = _TEST_STATUSES[delivery.event_type]
    return {
        "id": str(delivery.id),
        "reference": "test event",
        "to": _test_recipient(),
        "status": status.value,
        "created_at": at,
        "completed_at": None if status == Status.SENDING else at,
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


def _received_email(delivery: CallbackDelivery) -> dict[str, object]:
    """Return a received email without its files. Raises config.encryption.DecryptionFailed."""
    row = delivery.received_email
    content = (
        row.content if row else ReceivedContent(subject="test event", text="This is a test event.", attachments=[])
    )
    return {
        "id": str(row.id if row else delivery.id),
        "source_email_address": row.sender if row else _test_recipient(),
        "destination_email_address": row.reply_to.email_address if row and row.reply_to else None,
        "subject": content.subject,
        "message": content.text,
        "is_shortened": content.is_shortened,
        "is_automatic": row.is_automatic if row else False,
        "notification_id": str(row.notification_id) if row and row.notification_id else None,
        "reference": _reference(row.notification_id) if row and row.notification_id else None,
        "date_received": write_moment(row.created_at if row else delivery.created_at),
    }


def _reference(notification_id: UUID) -> str | None:
    """Return the reference of the message that an email answers, or None if the message is deleted or has none."""
    return Notification.objects.filter(pk=notification_id).values_list("reference", flat=True).first()


def _unsubscribe_request(delivery: CallbackDelivery) -> dict[str, object]:
    request = delivery.unsubscribe_request
    return {
        "id": str(request.id if request else delivery.id),
        "notification_id": str(request.notification_id if request else delivery.id),
        "template_id": str(request.template_id if request else NO_TEMPLATE),
        "email_address": request.recipient if request else _test_recipient(),
        "created_at": write_moment(request.created_at if request else delivery.created_at),
    }


def _suppression(delivery: CallbackDelivery) -> dict[str, object]:
    """Return a suppression as the API shows it when it is added."""
    row = delivery.suppression
    is_text = row is not None and row.channel == Channel.SMS
    recipient = row.recipient if row else _test_recipient()
    cause = row.notification_id if row else None
    return {
        "id": str(row.id if row else delivery.id),
        "created_at": write_moment(row.created_at if row else delivery.created_at),
        "service_id": str(delivery.endpoint.service_id),
        "type": Channel.SMS.value if is_text else Channel.EMAIL.value,
        "email_address": None if is_text else recipient,
        "phone_number": recipient if is_text else None,
        "reason": row.reason if row else SuppressionReason.MANUAL.value,
        "source": row.source if row else SuppressionSource.CONSOLE.value,
        "notification_id": str(cause) if cause else None,
        "note": row.note if row else "test event",
        "expires_at": write_moment(row.expires_at) if row else None,
    }


def _bulk_send(delivery: CallbackDelivery) -> dict[str, object]:
    row, at = delivery.bulk_send, delivery.created_at
    return {
        "id": str(row.id if row else delivery.id),
        "original_file_name": row.name if row else "test event",
        "job_status": row.state if row else BulkState.FINISHED.value,
        "notification_count": row.row_count if row else 3,
        "messages": row.messages if row else 3,
        "cancelled": row.cancelled if row else 0,
        "template": str(row.template_id if row else NO_TEMPLATE),
        "template_type": row.channel if row else Channel.EMAIL.value,
        "template_version": row.template_version if row else 1,
        "created_at": write_moment(row.created_at if row else at - timedelta(minutes=1)),
        "processing_started": write_moment(row.processing_started if row else at),
        "processing_finished": write_moment(row.processing_finished if row else at),
    }


def _data_set(delivery: CallbackDelivery) -> dict[str, object]:
    row, at = delivery.data_set_event, delivery.created_at
    is_late = delivery.event_type == CallbackEvent.DATA_SET_LATE
    return {
        "id": str(row.id if row else delivery.id),
        "data_set": row.name if row else "test_event",
        "path": row.path if row else "test/event",
        "state": row.state if row else "late" if is_late else "fresh",
        "last_write_at": write_moment(row.last_write_at if row else at - timedelta(hours=2 if is_late else 0)),
        "expected_every_seconds": row.expected_every_seconds if row else 3600,
        "at": write_moment(row.created_at if row else at),
    }


def _data_set_change(delivery: CallbackDelivery) -> dict[str, object]:
    """Return an event with details of its own."""
    row, at = delivery.data_set_event, delivery.created_at
    return {
        "id": str(row.id if row else delivery.id),
        "data_set": row.name if row else "test_event",
        "path": row.path if row else "test/event",
        **(row.details if row else _TEST_DETAILS[delivery.event_type]),
        "at": write_moment(row.created_at if row else at),
    }


def _test_recipient() -> str:
    return f"test@{settings.EMAIL_DOMAIN}"


_DATA: dict[CallbackEvent, Callable[[CallbackDelivery], dict[str, object]]] = {
    CallbackEvent.MESSAGE_DELIVERED: _status,
    CallbackEvent.MESSAGE_FAILED: _status,
    CallbackEvent.MESSAGE_SENT: _status,
    CallbackEvent.RECEIVED_TEXT: _received_text,
    CallbackEvent.RECEIVED_EMAIL: _received_email,
    CallbackEvent.UNSUBSCRIBE_REQUEST: _unsubscribe_request,
    CallbackEvent.SUPPRESSION_ADDED: _suppression,
    CallbackEvent.BULK_SEND_FINISHED: _bulk_send,
    CallbackEvent.DATA_SET_LATE: _data_set,
    CallbackEvent.DATA_SET_RECOVERED: _data_set,
    **dict.fromkeys(_TEST_DETAILS, _data_set_change),
}
