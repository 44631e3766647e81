"""Submit an email in place of a text message that failed. Source: docs/reference/sending-api.md §18.1.

The email is checked and rendered when the text is accepted, so only the daily limit can stop it later. It is submitted
in the transaction that records the failure. A message fails at most once, so there is at most one email.
"""

from collections.abc import Sequence
from typing import Any  # the arguments of a signal
from uuid import UUID

import structlog
from django.db import transaction
from django.utils import timezone

from config.encryption import DecryptionFailed
from config.metrics import registry
from notifications import errors, tasks
from notifications.delivery import quiet_hours
from notifications.models import Channel, Fallback, FallbackState, KeyType, LimitKind, Notification, RequestCallback
from notifications.models.notification import messages_failed
from notifications.submission import limits, policy
from notifications.submission.callers import Caller, ConsoleSender
from notifications.submission.requests import EmailRequest, SmsRequest
from notifications.submission.sending import checks, email_checks
from notifications.submission.sending.email_checks import EmailChecks
from notifications.submission.templates import fixed_files

log = structlog.get_logger()


def check(caller: Caller, request: SmsRequest) -> Notification | None:
    """Check and render the email of a text message, and return it without storing it. Raises FallbackRejected.

    Return None if the request names no fallback, or if its recipient is simulated: that email is only checked.
    """
    given = request.fallback
    if given is None:
        return None
    email = EmailRequest(
        email_address=given.email_address,
        template_id=given.template_id,
        language=request.language,
        personalisation=request.personalisation,
    )
    message = EmailChecks(caller, email, is_simulated=policy.is_simulated(given.email_address))
    try:
        checks.run(email_checks.CHECKS, message)
        fixed_files.check_none(message.template)
    except errors.NotificationError as error:
        raise errors.FallbackRejected(reason=error.message, fix=error.fix) from error
    checked = message.checked()
    return None if checked.is_simulated else checked.submission.notification


def row_of(text_id: UUID, email: Notification) -> Fallback:
    """Return the row that keeps the email until the text fails, without storing it."""
    row = Fallback(
        message_id=text_id,
        template_id=email.template_id,
        template_version=email.template_version,
        unsubscribe_link=email.unsubscribe_link,
        reply_to_id=email.reply_to_id,
    )
    row.set_content(email)
    return row


def submit(sender: object, ids: Sequence[UUID], **kwargs: Any) -> None:
    """Submit the emails of texts that have just failed. The signal calls this in the transaction of the failure."""
    related = ("message__service", "template")
    for fallback in Fallback.objects.waiting_for(ids).select_related(*related).order_by("pk"):
        _submit_one(fallback)


def _submit_one(fallback: Fallback) -> None:
    text = fallback.message
    try:
        email = _email(fallback)
        callbacks = RequestCallback.objects.copies(text, email)
    except DecryptionFailed:
        log.error("fallback.not_decrypted", notification_id=str(text.pk))
        return
    state = FallbackState.SUBMITTED
    try:
        with transaction.atomic():
            caller = ConsoleSender(service=text.service, key_type=KeyType(text.key_type), name=text.created_by)
            email.save(force_insert=True)
            RequestCallback.objects.bulk_create(callbacks)
            limits.spend(caller, [LimitKind.EMAIL])
    except errors.DailyLimitReached:
        state = FallbackState.LIMIT_REACHED
    is_submitted = state is FallbackState.SUBMITTED
    Fallback.objects.filter(pk=fallback.pk).update(
        state=state, email=email if is_submitted else None, encrypted_content=None
    )
    if is_submitted:
        if email.quiet_until is None:
            tasks.wake(Channel.EMAIL)
        transaction.on_commit(lambda: registry.MESSAGES.add(email.channel, email.key_type, email.status))
    log.info("fallback.decided", notification_id=str(text.pk), email_id=str(email.pk), state=state.value)


def _email(fallback: Fallback) -> Notification:
    """Return the email: for the caller, with the reference and the request id of the text."""
    text = fallback.message
    email = Notification(
        **fallback.content,
        service=text.service,
        api_key_id=text.api_key_id,
        key_type=text.key_type,
        origin=text.origin,
        created_by=text.created_by,
        request_id=text.request_id,
        reference=text.reference,
        channel=Channel.EMAIL,
        template=fallback.template,
        template_version=fallback.template_version,
        unsubscribe_link=fallback.unsubscribe_link,
        reply_to_id=fallback.reply_to_id,
    )
    if quiet_until := quiet_hours.end_for(email, timezone.now()):
        email.quiet_until = email.due_at = email.next_attempt_at = quiet_until
    return email


messages_failed.connect(submit, dispatch_uid="fallbacks")
