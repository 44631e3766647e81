"""The use case: one request in, one stored message out. Source: the sending contract §4.1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

import structlog
from django.db import transaction

from config import publishing
from notifications import errors, tasks
from notifications.attachments import store
from notifications.attachments.refusals import FileInTextMessage
from notifications.models import ApiKey, Attachment, Channel, LimitKind, Notification
from notifications.rendering import email, sanitise, sms
from notifications.submission import files, limits, personalisation, policy, senders, templates, usage
from notifications.submission.files import Parcel
from notifications.submission.requests import EmailRequest, SmsRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A message as accepted. For a simulated recipient the row is not stored.

    subject, body: as the recipient gets them, with whole links to files, which are told once and kept nowhere readable
    sent_from: sender name, number or address, as the answer shows it
    sanitised: what `sanitise_content_for` changed
    """

    notification: Notification
    subject: str | None = None
    body: str
    sent_from: str
    sanitised: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def as_kept(self) -> Self:
        """Return it without the keys of links."""
        return replace(self, subject=self.notification.subject, body=self.notification.body)


Keep = Callable[[Submission], None]  # stores what must not be there without the message, in its transaction


def submit_sms(api_key: ApiKey, request: SmsRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one text message: steps 9 to 23 of the contract, in its order.

    Everything above the transaction may refuse with a NotificationError; inside it only the day's counter may.
    The task is enqueued when the transaction commits, so a worker never looks for a row that is not there.
    """
    service = api_key.service
    policy.check_channel(service, Channel.SMS)
    template = templates.for_sending(service.id, request.template_id, Channel.SMS)
    personalisation.check_complete(template.subject, template.content, request.personalisation)
    text = sms.render(template.content, request.personalisation, prefix=service.name if service.prefix_sms else None)
    if text.is_empty:
        raise errors.MessageEmpty
    if files.any_in(request.personalisation):
        raise FileInTextMessage
    sender = senders.sms_sender(service, request.sms_sender_id)
    number = request.phone_number
    policy.check_recipient(api_key, number)
    policy.check_number(number)
    is_counted_international = policy.is_counted_international(number)
    if is_counted_international:
        limits.check(api_key, LimitKind.INTERNATIONAL_SMS)
    if text.is_too_long:
        raise errors.TextMessageTooLong(limit=sms.MAX_CHARACTERS, count=text.chars_without_prefix)

    notification = Notification(
        **_common(api_key, template, request),
        channel=Channel.SMS,
        recipient=number.as_given,
        normalised_recipient=number.normalised,
        body=text.text,
        parts=text.fragments,
        rate_multiplier=number.rate_multiplier,
        is_international=number.is_international,
        sms_sender=sender,
    )
    submission = Submission(notification=notification, body=text.text, sent_from=senders.from_number(sender))
    counted = [LimitKind.SMS, LimitKind.INTERNATIONAL_SMS] if is_counted_international else [LimitKind.SMS]
    is_simulated = policy.is_simulated(number)
    with transaction.atomic():
        _store(api_key, submission, counted, is_simulated=is_simulated, keep=keep)
    _note_sender(notification, is_simulated=is_simulated)
    return submission


def submit_email(api_key: ApiKey, request: EmailRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one email: steps 9 to 23 of the contract, in its order."""
    service = api_key.service
    policy.check_channel(service, Channel.EMAIL)
    address = request.email_address
    is_simulated = policy.is_simulated(address)
    sanitised = sanitise.request(request.personalisation, request.sanitise_content_for)
    template = templates.for_sending(service.id, request.template_id, Channel.EMAIL)
    values = sanitised.personalisation
    personalisation.check_complete(template.subject, template.content, values)
    parcel = Parcel.of(service, values, is_simulated=is_simulated)
    text = email.render(template.subject, template.content, parcel.with_links(values))
    if text.is_empty:
        raise errors.MessageEmpty
    reply_to = senders.reply_to(service, request.email_reply_to_id)
    policy.check_recipient(api_key, address)
    checked = parcel.check()
    if text.is_too_long:
        raise errors.EmailTooLong(limit_bytes=email.MAX_BYTES, size_bytes=text.size_bytes)

    kept = email.render(template.subject, template.content, parcel.with_kept_links(values)) if checked else text
    notification = Notification(
        **_common(api_key, template, request),
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
    sealed = parcel.seal(checked, notification)
    with store.written({file.row.storage_name: file.blob for file in sealed}) as blobs, transaction.atomic():
        Attachment.objects.bulk_create(file.row for file in sealed)
        _store(api_key, submission, [LimitKind.EMAIL], is_simulated=is_simulated, keep=keep)
        blobs.keep()  # now only the commit can fail, and nobody knows then whether it did: the orphans' sweep will
    _note_sender(notification, is_simulated=is_simulated)
    return submission


def _common(
    api_key: ApiKey, template: templates.TemplateText, request: SmsRequest | EmailRequest
) -> dict[str, Any]:  # Any: values of columns
    return {
        "service": api_key.service,
        "api_key": api_key,
        "key_type": api_key.key_type,
        "request_id": structlog.contextvars.get_contextvars().get("request_id", ""),
        "template_id": template.id,
        "template_version": template.version,
        "reference": request.reference,
        **_when(request.scheduled_for),
    }


def _when(scheduled_for: datetime | None) -> dict[str, datetime | None]:
    """A scheduled message waits for the sweep; any other is due at once, by the database's clock."""
    if scheduled_for is None:
        return {}
    return {
        "scheduled_for": scheduled_for,
        "due_at": scheduled_for,
        "next_attempt_at": scheduled_for,
        "enqueued_at": None,
    }


def _store(
    api_key: ApiKey, submission: Submission, counted: list[LimitKind], *, is_simulated: bool, keep: Keep | None
) -> None:
    """Store the message, in the caller's transaction."""
    notification = submission.notification
    if not is_simulated:
        notification.save(force_insert=True)
    if keep is not None:
        keep(submission.as_kept())
    if is_simulated:
        return
    if notification.scheduled_for is None:
        publishing.enqueue(tasks.deliver, str(notification.id))
    limits.spend(api_key, counted)  # last: its row lock is held shortest


def _note_sender(notification: Notification, *, is_simulated: bool) -> None:
    """Say when the sender was last used, once the message is there."""
    sender = notification.sms_sender or notification.reply_to
    if sender and not is_simulated:
        usage.note_sender(sender)
