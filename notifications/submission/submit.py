"""Check, render and store one message for one request. Source: docs/reference/sending-api.md §4.1."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar
from uuid import UUID

from django.db import transaction

from config.metrics import registry
from notifications import errors, tasks
from notifications.attachments import store
from notifications.delivery import repeats
from notifications.delivery.repeats import RepeatsMessage
from notifications.models import Attachment, Channel, Notification, RequestCallback
from notifications.submission import checks, email_checks, limits, policy, senders, sms_checks, template_use, usage
from notifications.submission.callers import Caller
from notifications.submission.checks import Check, Checked, Submission
from notifications.submission.email_checks import EmailChecks
from notifications.submission.requests import EmailRequest, MessageRequest, RequestedCallback, SmsRequest
from notifications.submission.sms_checks import SmsChecks

Keep = Callable[[Submission], None]  # stores further rows in the transaction of the message
Message = TypeVar("Message", SmsChecks, EmailChecks)


def submit_sms(caller: Caller, request: SmsRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one text message: steps 9 to 23 of the contract, in its order.

    Raises the errors of `check_sms`, and DailyLimitReached from the transaction. The task is enqueued after the commit,
    so a worker never looks for a row that does not exist.
    """
    return _accept(check_sms(caller, request), request, keep)


def submit_email(caller: Caller, request: EmailRequest, *, keep: Keep | None = None) -> Submission:
    """Check, render, store and enqueue one email: steps 9 to 23 of the contract, in its order."""
    return _accept(check_email(caller, request), request, keep)


def check_sms(caller: Caller, request: SmsRequest) -> Checked:
    """Check and render one text message. Raises a NotificationError."""
    message = SmsChecks(caller, request)
    _run(sms_checks.CHECKS, message)
    return message.checked()


def check_email(caller: Caller, request: EmailRequest) -> Checked:
    """Check and render one email, with its files. Raises a NotificationError."""
    message = EmailChecks(caller, request, is_simulated=policy.is_simulated(request.email_address))
    _run(email_checks.CHECKS, message)
    return message.checked()


def _run(named: Sequence[Check[Message]], message: Message) -> None:
    """Run the checks, and count the call if it fails for a change of the template."""
    try:
        checks.run(named, message)
    except errors.PersonalisationMissing:
        if message.request.template_version is None:
            template_use.count_failing(message.caller, message.template, message.request.personalisation)
        raise


def _accept(checked: Checked, request: MessageRequest, keep: Keep | None) -> Submission:
    """Accept the message, and count the call for the template that it used."""
    submission = _store_once(checked, request.callback, keep)
    if request.template_version is None:
        template_use.count(checked.caller, checked.template, request.personalisation, language=request.language)
    return submission


def _store_once(checked: Checked, callback: RequestedCallback | None, keep: Keep | None) -> Submission:
    """Store and enqueue the message with its files. If the repeat guard knows it, answer with the first message."""
    notification = checked.submission.notification
    has_guard = bool(notification.service.repeat_guard_minutes) and notification.reference is not None
    is_guarded = has_guard and not checked.is_simulated
    if is_guarded and (first := repeats.find_first(notification)):
        return _repeat(first, keep)
    encrypted = checked.parcel.encrypt(checked.files, notification) if checked.parcel else []
    fallback = None if checked.is_simulated else checked.fallback
    if encrypted or callback or keep or is_guarded or fallback:
        try:
            with store.written({file.row.storage_name: file.blob for file in encrypted}) as blobs, transaction.atomic():
                if is_guarded:
                    repeats.claim_one(notification)
                if encrypted:
                    Attachment.objects.bulk_create([file.row for file in encrypted])
                if callback and not checked.is_simulated:
                    row = RequestCallback.of(notification, callback.url, callback.bearer_token)
                    RequestCallback.objects.store(row, notification.service)
                if fallback:
                    fallback.save(force_insert=True)
                if keep:
                    keep(checked.submission.as_kept())
                _store(checked)
                # Only the commit can fail now, with unknown result. If it failed, a clean-up deletes orphaned blobs.
                blobs.keep()
        except RepeatsMessage as repeat:
            return _repeat(repeat.first, keep)
    else:
        _store(checked)
    sender = notification.sms_sender or notification.reply_to
    if sender and not checked.is_simulated:
        usage.note_sender(sender)  # after the message is stored
    return checked.submission


def _repeat(first: UUID, keep: Keep | None) -> Submission:
    """Return the values of the first message. Nothing is stored or counted but the response, if there is a `keep`."""
    message = Notification.objects.select_related("service", "sms_sender").get(id=first)
    is_sms = message.channel == Channel.SMS
    submission = Submission(
        notification=message,
        subject=message.subject,
        body=message.body,
        sent_from=senders.from_number(message.sms_sender) if is_sms else senders.from_email(message.service),
        repeat_of=first,
    )
    if keep:
        keep(submission)
    return submission


def _store(checked: Checked) -> None:
    """Store the message and count it. Enqueue it after the commit."""
    if checked.is_simulated:
        return
    notification = checked.submission.notification
    limits.store(checked.caller, notification, checked.counted)  # last: locks the counter for the shortest time
    if notification.scheduled_for is None and notification.quiet_until is None:
        tasks.wake(notification.channel)
    count = partial(registry.MESSAGES.add, notification.channel, notification.key_type, notification.status)
    transaction.on_commit(count)
