"""The calls of the sending API. The names are those of the official client of GOV.UK Notify where it has one."""

import base64
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, BinaryIO

from signalbox._calls import Call, get, once, segment, send

Values = Mapping[str, Any]
NOTIFICATIONS = "/v2/notifications"


def send_email_notification(
    email_address: str,
    template_id: str,
    personalisation: Values | None = None,
    reference: str | None = None,
    email_reply_to_id: str | None = None,
    one_click_unsubscribe_url: str | None = None,
    *,
    scheduled_for: datetime | str | None = None,
    language: str | None = None,
    callback: Values | None = None,
    sanitise_content_for: Sequence[str] | None = None,
    template_version: int | str | None = None,
    idempotency_key: str | None = None,
    dry_run: bool = False,
) -> Call[dict[str, Any]]:
    """Send an email from a template, and return it with its `id`. A repeated call sends one email.

    >>> sent = client.send_email_notification("ana@example.org", email_template, {"name": "Ana", "items": ["a", "b"]})
    >>> sent["content"]["subject"]
    'Your visit is booked, Ana'
    """
    body = {
        "email_address": email_address,
        "template_id": template_id,
        "personalisation": personalisation,
        "reference": reference,
        "email_reply_to_id": email_reply_to_id,
        "one_click_unsubscribe_url": one_click_unsubscribe_url,
        "scheduled_for": scheduled_for,
        "language": language,
        "callback": callback,
        "sanitise_content_for": sanitise_content_for,
        "template_version": template_version,
    }
    return once(f"{NOTIFICATIONS}/email", body, idempotency_key, dry_run="true" if dry_run else None)


def send_sms_notification(
    phone_number: str,
    template_id: str,
    personalisation: Values | None = None,
    reference: str | None = None,
    sms_sender_id: str | None = None,
    *,
    scheduled_for: datetime | str | None = None,
    language: str | None = None,
    callback: Values | None = None,
    fallback: Values | None = None,
    template_version: int | str | None = None,
    idempotency_key: str | None = None,
    dry_run: bool = False,
) -> Call[dict[str, Any]]:
    """Send a text from a template, and return it with its `id`. A repeated call sends one text.

    >>> sent = client.send_sms_notification("07700 900123", sms_template, {"code": "4711"})
    >>> sent["template"]["id"] == sms_template
    True
    """
    body = {
        "phone_number": phone_number,
        "template_id": template_id,
        "personalisation": personalisation,
        "reference": reference,
        "sms_sender_id": sms_sender_id,
        "scheduled_for": scheduled_for,
        "language": language,
        "callback": callback,
        "fallback": fallback,
        "template_version": template_version,
    }
    return once(f"{NOTIFICATIONS}/sms", body, idempotency_key, dry_run="true" if dry_run else None)


def prepare_upload(
    file: BinaryIO,
    filename: str | None = None,
    *,
    confirm_email_before_download: bool | None = None,
    retention_period: str | None = None,
) -> dict[str, Any]:
    """Return a file as a value of `personalisation`, for a template with a link to it.

    >>> import io
    >>> prepare_upload(io.BytesIO(b"a,b"), "figures.csv")["filename"]
    'figures.csv'
    """
    name = filename or os.path.basename(getattr(file, "name", "")) or None
    return {
        "file": base64.b64encode(file.read()).decode(),
        "filename": name,
        "confirm_email_before_download": confirm_email_before_download,
        "retention_period": retention_period,
    }


def get_notification_by_id(notification_id: str) -> Call[dict[str, Any]]:
    """Return one message with its status.

    >>> client.get_notification_by_id(sent_id)["type"]
    'email'
    """
    return get(f"{NOTIFICATIONS}/{segment(notification_id)}")


def get_all_notifications(
    status: str | Iterable[str] | None = None,
    template_type: str | None = None,
    reference: str | None = None,
    older_than: str | None = None,
    include_jobs: bool | None = None,
) -> Call[dict[str, Any]]:
    """Return the newest messages of the service, 250 at a time.

    >>> client.get_all_notifications(reference="no-such-reference")["notifications"]
    []
    """
    return get(
        NOTIFICATIONS,
        older_than=older_than,
        status=status if status is None or isinstance(status, str) else list(status),
        template_type=template_type,
        reference=reference,
        include_jobs=None if include_jobs is None else str(include_jobs).lower(),
    )


def get_scheduled_notifications(older_than: str | None = None) -> Call[dict[str, Any]]:
    """Return the messages that wait for their time.

    >>> client.get_scheduled_notifications()["links"]["current"].startswith(url)
    True
    """
    return get(f"{NOTIFICATIONS}/scheduled", older_than=older_than)


def reschedule_notification(notification_id: str, scheduled_for: datetime | str | None) -> Call[dict[str, Any]]:
    """Move a scheduled message to another time, or send it now if the time is None.

    >>> moved = client.reschedule_notification(scheduled_id, in_an_hour)
    >>> moved["scheduled_for"].startswith(in_an_hour[:16])
    True
    """
    call = send("PATCH", f"{NOTIFICATIONS}/{segment(notification_id)}", is_repeatable=True)
    moment = scheduled_for.astimezone().isoformat() if isinstance(scheduled_for, datetime) else scheduled_for
    return replace(call, json={"scheduled_for": moment})


def cancel_notification(notification_id: str) -> Call[dict[str, Any]]:
    """Cancel a scheduled message.

    >>> client.cancel_notification(scheduled_id)["status"]
    'cancelled'
    """
    return send("POST", f"{NOTIFICATIONS}/{segment(notification_id)}/cancel")


def get_received_texts(older_than: str | None = None) -> Call[dict[str, Any]]:
    """Return the newest texts that people sent to the service.

    >>> isinstance(client.get_received_texts()["received_text_messages"], list)
    True
    """
    return get("/v2/received-text-messages", older_than=older_than)


def get_unsubscribe_requests(older_than: str | None = None) -> Call[dict[str, Any]]:
    """Return the newest unsubscribe requests.

    >>> isinstance(client.get_unsubscribe_requests()["unsubscribe_requests"], list)
    True
    """
    return get("/v2/unsubscribe-requests", older_than=older_than)
