"""*Retry now* on the page of a message, and *Retry failed* over the log.

Source: docs/reference/console.md §2.9, §2.10.
"""

from collections.abc import Sequence
from typing import Any  # a queryset of messages

from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse

from config import audit, formats
from config.console.admin.model_admin import ConsoleModelAdmin
from config.erased import ERASED
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from notifications import errors
from notifications.admin.messages.over_filter import FilterAction
from notifications.models import Attachment, Notification
from notifications.submission.sending import retry
from notifications.submission.sending.retry import CannotRetry

RETRY = "retry"
TITLE = "Retry now"


def can_be(message: Notification) -> bool:
    return retry.is_waiting(message) or message.status in retry.RETRIED


class RetryAction(ConsoleModelAdmin):
    """The action on one message."""

    def retry(self, request: HttpRequest, message: Notification) -> HttpResponse:
        try:
            retry.check(message)
            if request.method == "POST":
                return self._retried(request, message)
        except CannotRetry as reason:
            return self.error_page(request, message, TITLE, str(reason))
        except errors.NotificationError as error:
            return self.error_page(request, message, TITLE, f"The message was not sent again. {error.message}")
        return self.action_page(request, message, TITLE, TITLE, _explained(message))

    def _retried(self, request: HttpRequest, message: Notification) -> HttpResponse:
        if retry.is_waiting(message):
            retry.send_now(message)
            self.audit(request, "retried_message", message)
            return self.action_done(request, self.row_url(message), "The next attempt starts now.")
        new = retry.retry(message, audit.author(request))
        self.audit(request, "retried_message", message, after={"retry": str(new.pk)})
        return self.action_done(request, self.row_url(new), "The message is being sent again. This is the new message.")


def _explained(message: Notification) -> list[str]:
    if retry.is_waiting(message):
        return [f"The next attempt is {formats.on(message.next_attempt_at)}. You can start it now."]
    return [
        "The message is sent again with the same text, as a new message with the same reference. "
        "This message keeps its status.",
        "It is checked again and counts towards the daily limit.",
    ]


def can_be_retried(messages: Any) -> Any:
    """Narrow messages to the failed ones that have no file and that nobody has retried."""
    same = {"service": OuterRef("service"), "created_at": OuterRef("created_at"), "notification_id": OuterRef("pk")}
    return messages.filter(
        Q(bulk_row=None) | Q(bulk_row__is_retried=False),
        ~Exists(Attachment.objects.filter(**same)),
        ~Q(recipient=ERASED),
        status__in=retry.RETRIED,
        retried_as=None,
    )


def _retry_each(run: BulkJobRun, ids: Sequence[str]) -> int:
    """Retry these messages, audit each one, and return how many were accepted."""
    chosen = Notification.objects.select_related("service", "template", "sms_sender", "reply_to", "bulk_row")
    number = 0
    for message in chosen.filter(pk__in=ids).order_by("created_at", "id"):
        try:
            new = retry.retry(message, run.author)
        except (CannotRetry, errors.NotificationError):
            continue
        audit.record(run.actor, "retried_message", message, after={"retry": str(new.pk)})
        number += 1
    return number


RETRY_MESSAGES = BulkJob(
    name="retry-messages",
    verb="Retry",
    noun="failed message",
    done="being sent again",
    work=over_rows(_retry_each),
    after="Messages that are no longer accepted are left out, such as those to suppressed recipients.",
)
RETRY_FAILED = FilterAction(
    job=RETRY_MESSAGES,
    title="Retry failed",
    button="Retry",
    narrowed=can_be_retried,
    nothing="No message of this list can be retried. Only messages with a temporary or technical failure can be, once.",
    explanation=(
        "Each is sent again with the same text, as a new message with the same reference. "
        "Messages with files are not included, because the keys of the files are only in the links of the recipients.",
        "They are checked again and count towards the daily limit.",
    ),
)
