"""Check, render and store one message for one request. Source: docs/reference/sending-api.md §4.1."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Self

import structlog
from django.db import transaction

from config.metrics import registry
from notifications import errors, tasks
from notifications.attachments import store
from notifications.attachments.intake import CheckedFile
from notifications.errors import FileInTextMessage
from notifications.models import ApiKey, Attachment, Channel, LimitKind, Notification, Origin
from notifications.rendering import email, sanitise, sms
from notifications.submission import files, limits, policy, senders, templates, usage
from notifications.submission.callers import Caller
from notifications.submission.files import Parcel
from notifications.submission.requests import EmailRequest, SmsRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """An accepted message. For a simulated recipient the row is not stored.

    subject, body: as the recipient gets them, with full links to files, which no readable column stores
    sent_from: the sender name, phone number or email address in the response
    sanitised: the values that `sanitise_content_for` changed
    """

    notification: Notification
    subject: str | None = None
    body: str
    sent_from: str
    sanitised: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def as_kept(self) -> Self:
        """Return a copy whose links have no keys, for storage."""
        return replace(self, subject=self.notification.subject, body=self.notification.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A checked message that only the daily limit can still reject. Nothing is stored yet.

    counted: the limits that the message counts against
    is_simulated: whether nothing is stored or sent because the recipient is simulated
    parcel, files: of an email with files
    """

    caller: Caller
    submission: Submission
    counted: Sequence[LimitKind]
    is_simulated: bool
    parcel: Parcel | None = None
    files: Mapping[str, CheckedFile] = field(default_factory=dict)


Keep = Callable[[Submission], None]  # stores further rows in the transaction of the message


def submit_sms(caller: Caller, request: SmsRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one text message: steps 9 to 23 of the contract, in its order.

    Raises the errors of `check_sms`, and DailyLimitReached from the transaction. The task is enqueued after the commit,
    so a worker never looks for a row that does not exist.
    """
    return _accept(check_sms(caller, request), keep)


def submit_email(caller: Caller, request: EmailRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one email: steps 9 to 23 of the contract, in its order."""
    return _accept(check_email(caller, request), keep)


def check_sms(caller: Caller, request: SmsRequest) -> Checked:
    """Check and render one text message. Raises a NotificationError."""
    service = caller.service
    policy.check_channel(service, Channel.SMS)
    template = templates.for_sending(service.id, request.template_id, Channel.SMS)
    templates.check_personalisation(template.subject, template.content, request.personalisation)
    text = sms.render(template.content, request.personalisation, prefix=service.name if service.prefix_sms else None)
    if text.is_empty:
        raise errors.MessageEmpty
    if files.any_in(request.personalisation):
        raise FileInTextMessage
    sender = senders.sms_sender(service, request.sms_sender_id)
    number = request.phone_number
    policy.check_recipient(caller, number)
    policy.check_number(number)
    is_counted_international = policy.is_counted_international(number)
    if is_counted_international:
        limits.check(caller, LimitKind.INTERNATIONAL_SMS)
    if text.is_too_long:
        raise errors.TextMessageTooLong(limit=sms.MAX_CHARACTERS, count=text.chars_without_prefix)

    notification = Notification(
        **_common(caller, template, request),
        channel=Channel.SMS,
        recipient=number.as_given,
        normalised_recipient=number.normalised,
        body=text.text,
        parts=text.fragments,
        rate_multiplier=number.rate_multiplier,
        is_international=number.is_international,
        sms_sender=sender,
    )
    return Checked(
        caller=caller,
        submission=Submission(notification=notification, body=text.text, sent_from=senders.from_number(sender)),
        counted=[LimitKind.SMS, LimitKind.INTERNATIONAL_SMS] if is_counted_international else [LimitKind.SMS],
        is_simulated=policy.is_simulated(number),
    )


def check_email(caller: Caller, request: EmailRequest) -> Checked:
    """Check and render one email, with its files. Raises a NotificationError."""
    service = caller.service
    policy.check_channel(service, Channel.EMAIL)
    address = request.email_address
    is_simulated = policy.is_simulated(address)
    sanitised = sanitise.request(request.personalisation, request.sanitise_content_for)
    template = templates.for_sending(service.id, request.template_id, Channel.EMAIL)
    values = sanitised.personalisation
    templates.check_personalisation(template.subject, template.content, values)
    parcel = Parcel.of(service, values, is_simulated=is_simulated)
    text = email.render(template.subject, template.content, parcel.with_links(values))
    if text.is_empty:
        raise errors.MessageEmpty
    reply_to = senders.reply_to(service, request.email_reply_to_id)
    policy.check_recipient(caller, address)
    checked = parcel.check()
    if text.is_too_long:
        raise errors.EmailTooLong(limit_bytes=email.MAX_BYTES, size_bytes=text.size_bytes)

    kept = email.render(template.subject, template.content, parcel.with_kept_links(values)) if checked else text
    notification = Notification(
        **_common(caller, template, request),
        channel=Channel.EMAIL,
        recipient=address.as_given,
        normalised_recipient=address.normalised,
        subject=kept.subject,
        body=kept.filled,
        unsubscribe_link=template.unsubscribe_link,
        one_click_unsubscribe_url=request.one_click_unsubscribe_url,
        reply_to=reply_to,
    )
    if checked:
        notification.set_outgoing(text.subject, text.filled)
    submission = Submission(
        notification=notification,
        subject=text.subject,
        body=text.filled,
        sent_from=senders.from_email(service),
        sanitised=sanitised.changed,
    )
    return Checked(
        caller=caller,
        submission=submission,
        counted=[LimitKind.EMAIL],
        is_simulated=is_simulated,
        parcel=parcel,
        files=checked,
    )


def _common(
    caller: Caller, template: templates.TemplateText, request: SmsRequest | EmailRequest
) -> dict[str, Any]:  # Any: values of columns
    by_key = isinstance(caller, ApiKey)
    return {
        "service": caller.service,
        **({"api_key": caller} if by_key else {"origin": Origin.CONSOLE, "created_by": caller.name}),
        "key_type": caller.key_type,
        "request_id": structlog.contextvars.get_contextvars().get("request_id", ""),
        "template_id": template.id,
        "template_version": template.version,
        "reference": request.reference,
        **_when(request.scheduled_for),
    }


def _when(scheduled_for: datetime | None) -> dict[str, datetime | None]:
    """Return the times of a scheduled message, which the sweep finds. By default the database sets its current time."""
    if scheduled_for is None:
        return {}
    return {
        "scheduled_for": scheduled_for,
        "due_at": scheduled_for,
        "next_attempt_at": scheduled_for,
    }


def _accept(checked: Checked, keep: Keep | None) -> Submission:
    """Store the message with its files, and enqueue it."""
    encrypted = checked.parcel.encrypt(checked.files, checked.submission.notification) if checked.parcel else []
    if encrypted or keep:
        with store.written({file.row.storage_name: file.blob for file in encrypted}) as blobs, transaction.atomic():
            if encrypted:
                Attachment.objects.bulk_create([file.row for file in encrypted])
            if keep:
                keep(checked.submission.as_kept())
            _store(checked)
            # Only the commit can fail now, with unknown result. If it failed, a clean-up deletes the orphaned blobs.
            blobs.keep()
    else:
        _store(checked)
    sender = checked.submission.notification.sms_sender or checked.submission.notification.reply_to
    if sender and not checked.is_simulated:
        usage.note_sender(sender)  # after the message is stored
    return checked.submission


def _store(checked: Checked) -> None:
    """Store the message and count it. Enqueue it after the commit."""
    if checked.is_simulated:
        return
    notification = checked.submission.notification
    limits.store(checked.caller, notification, checked.counted)  # last: locks the counter for the shortest time
    if notification.scheduled_for is None:
        tasks.wake(notification.channel)
    count = partial(registry.MESSAGES.add, notification.channel, notification.key_type, notification.status)
    transaction.on_commit(count)
