"""Play the events of the sandbox: receipts of its provider, and replies of recipients.

Each event goes the way of a real one, so statuses, callbacks, suppressions and the inbox of the service follow.
Source: docs/reference/running.md §9.
"""

import hashlib
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from config import mailboxes
from config.host_names import ascii_host
from notifications.delivery import status
from notifications.delivery.messages import IncomingText, Receipt, ReceiptOutcome
from notifications.delivery.providers.sandbox import SANDBOX
from notifications.delivery.returned_emails import storing
from notifications.delivery.returned_emails.reading.replies import Reply
from notifications.models import (
    Channel,
    KeyType,
    Notification,
    ReplyToAddress,
    SandboxEvent,
    SandboxOutcome,
    SmsSender,
    Status,
)
from notifications.submission import receiving

AT_ONCE = 100
AGAIN_AFTER = timedelta(seconds=1)  # while the acceptance of the message is not recorded yet
_USUAL_REPLY = {
    SandboxOutcome.REPLY: "Thank you",
    SandboxOutcome.OUT_OF_OFFICE: "I am out of the office until Monday.",
}
# An email address that cannot receive email. A code of texts suppresses nobody.
_RECEIPTS = {
    SandboxOutcome.DELIVERED: (ReceiptOutcome.DELIVERED, ""),
    SandboxOutcome.HARD_BOUNCE: (ReceiptOutcome.PERMANENT_FAILURE, "5.1.1"),
    SandboxOutcome.COMPLAINT: (ReceiptOutcome.COMPLAINT, "abuse"),
}

log = structlog.get_logger()


def play_due() -> bool:
    """Play the events that are due. Return whether some wait until their message is recorded as sent."""
    waits = False
    for pk in SandboxEvent.objects.due().values_list("pk", flat=True)[:AT_ONCE]:
        waits |= not _play(pk)
    return waits


def is_in_sandbox(message: Notification) -> bool:
    """Return whether the sandbox took the message. Only such messages may be changed by it."""
    return message.provider == SANDBOX or message.key_type == KeyType.TEST


def may_reach_sandbox(message: Notification) -> bool:
    """Return whether the sandbox may take a message that waits."""
    return SANDBOX in settings.PROVIDERS or message.key_type == KeyType.TEST


def reply_to_of(message: Notification) -> ReplyToAddress | None:
    """Return the address of this installation to which a reply to an email goes, or None if it goes elsewhere."""
    own = ReplyToAddress.objects.filter(service=message.service_id, archived_at=None)
    used = message.reply_to or own.filter(is_default=True).first()
    domain = ascii_host(settings.EMAIL_DOMAIN)
    return used if used and mailboxes.key_of(used.email_address).endswith(f"@{domain}") else None


@transaction.atomic
def _play(pk: int) -> bool:
    """Play one event, once. Return whether it is over."""
    event = SandboxEvent.objects.filter(pk=pk).first()
    if event is None:
        return True
    message = (
        Notification.objects.select_related("service", "reply_to", "sms_sender")
        .filter(pk=event.notification_id)
        .first()
    )
    if message is not None and message.status == Status.CREATED:
        SandboxEvent.objects.filter(pk=pk).update(due_at=Now() + AGAIN_AFTER)
        return False
    is_mine = SandboxEvent.objects.filter(pk=pk).delete()[0]  # or another process plays it
    if not is_mine or message is None or not is_in_sandbox(message):
        return True
    outcome = SandboxOutcome(event.outcome)
    if outcome in _RECEIPTS:
        _apply_receipt(message, *_RECEIPTS[outcome])
    else:
        _reply(message, outcome, event)
    log.info("sandbox.played", notification_id=str(message.pk), outcome=outcome.value)
    return True


def _apply_receipt(message: Notification, outcome: ReceiptOutcome, code: str) -> None:
    """Apply a receipt. A delivered message may still bounce, as if its provider had only accepted it."""
    if outcome == ReceiptOutcome.PERMANENT_FAILURE:
        Notification.objects.filter(pk=message.pk, status=Status.DELIVERED).update(is_acceptance_final=True)
    status.apply(message.provider, Receipt(outcome=outcome, notification_id=message.pk, code=code))


def _reply(message: Notification, outcome: SandboxOutcome, event: SandboxEvent) -> None:
    text = event.reply or _USUAL_REPLY[outcome]
    if message.channel == Channel.SMS:
        sender = message.sms_sender or SmsSender.objects.filter(service=message.service_id, is_default=True).first()
        to = sender.sender if sender else settings.DEFAULT_SMS_SENDER
        incoming = IncomingText(sender=message.normalised_recipient, recipient=to, content=text)
        receiving.store(message.service, incoming)
    elif reply_to := reply_to_of(message):
        is_automatic = outcome == SandboxOutcome.OUT_OF_OFFICE
        storing.store(
            Reply(
                sender=message.recipient,
                recipients=(mailboxes.key_of(reply_to.email_address),),
                answered=(message.pk,),
                subject=f"{'Out of office' if is_automatic else 'Re'}: {message.subject}",
                text=text,
                attachments=(),
                is_shortened=False,
                content_hash=hashlib.sha256(f"{event.pk} {message.pk}".encode()).hexdigest(),
                is_automatic=is_automatic,
            )
        )
    else:
        log.info("sandbox.reply_elsewhere", notification_id=str(message.pk))
