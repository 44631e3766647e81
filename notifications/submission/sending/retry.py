"""Retry one message: a waiting one at once, a failed one as a new message. Source: docs/reference/console.md §2.10.

The status of an ended message never changes. So its retry is a new message with the same text, which is checked and
counted like any other. `notifications.submission.bulk.retry` does the same for the rows of a bulk send.
"""

from functools import partial

import structlog
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from config.erased import ERASED
from notifications import tasks
from notifications.models import BulkRow, KeyType, Notification, RequestCallback, RetriedMessage, Status
from notifications.submission.callers import ConsoleSender
from notifications.submission.sending import sent_again

RETRIED = (Status.TECHNICAL_FAILURE, Status.TEMPORARY_FAILURE)

log = structlog.get_logger()


class CannotRetry(Exception):
    """The message cannot be retried. The text states the reason."""


def is_waiting(message: Notification) -> bool:
    """Return whether the message waits for its next attempt after an earlier one."""
    return message.status == Status.CREATED and message.attempt > 0 and message.next_attempt_at > timezone.now()


def check(message: Notification) -> None:
    """Raise CannotRetry if the message neither waits for its next attempt nor may be sent again."""
    if is_waiting(message):
        return
    if message.status not in RETRIED:
        raise CannotRetry("Only a message with a temporary or technical failure can be retried.")
    if message.recipient == ERASED:
        raise CannotRetry("The recipient of this message has been erased.")
    if RetriedMessage.objects.filter(message=message.pk).exists():
        raise CannotRetry("This message has been retried already.")
    if message.bulk_row is not None and message.bulk_row.is_retried:
        raise CannotRetry("A later bulk send has retried this message already.")
    if sent_again.has_files(message):
        raise CannotRetry(
            "This message has a file. We cannot send the file again, because its key is only in the link that the "
            "recipient has."
        )


def send_now(message: Notification) -> None:
    """Make a waiting message due at once. Raises CannotRetry if it is being sent or has ended meanwhile."""
    waiting = Notification.objects.filter(pk=message.pk, status=Status.CREATED, attempt__gt=0)
    with transaction.atomic():
        if not waiting.filter(Q(claimed_until=None) | Q(claimed_until__lt=Now())).update(next_attempt_at=Now()):
            raise CannotRetry("This message is being sent now, or it has ended.")
        tasks.wake(message.channel)
    log.info("notification.hurried", notification_id=str(message.pk))


def retry(message: Notification, by: str) -> Notification:
    """Send a failed message again as a new message with its reference, and return that.

    by: the author that the new message stores
    Raises CannotRetry, and a NotificationError if the new message is not accepted.
    """
    check(message)
    person = ConsoleSender(service=message.service, key_type=KeyType(message.key_type), name=by)
    recipient = sent_again.parse_recipient(message, message.recipient)
    new = sent_again.build(message, person, recipient)
    new.reference, new.one_click_unsubscribe_url = message.reference, message.one_click_unsubscribe_url
    sent_again.check(new, person, recipient)
    sent_again.store(new, person, partial(_link, message, new))
    log.info("notification.retried", notification_id=str(message.pk), retry=str(new.pk))
    return new


def _link(message: Notification, new: Notification) -> None:
    """Mark the message as retried, and give its callback to the retry. Raises CannotRetry if another was faster."""
    row = message.bulk_row
    if row is not None and not BulkRow.objects.filter(pk=row.pk, is_retried=False).update(is_retried=True):
        raise CannotRetry("A later bulk send has retried this message already.")
    link = RetriedMessage(message=message, retry_id=new.pk)
    RetriedMessage.objects.bulk_create([link], ignore_conflicts=True)
    if not RetriedMessage.objects.filter(message=message.pk, retry=new.pk).exists():
        raise CannotRetry("This message has been retried already.")
    RequestCallback.objects.bulk_create(RequestCallback.objects.copies(message, new))
