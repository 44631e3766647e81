"""*Cancel* over the scheduled messages of the log. Source: docs/reference/console.md §2.9."""

from collections.abc import Sequence

from config import audit
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from notifications import errors
from notifications.admin.messages.over_filter import FilterAction
from notifications.models import Notification, Status
from notifications.submission.sending import scheduled


def _cancel_each(run: BulkJobRun, ids: Sequence[str]) -> int:
    """Cancel the messages of these that are still scheduled, audit each one, and return how many there were."""
    waiting = Notification.objects.scheduled().select_related("service", "template").filter(pk__in=ids)
    number = 0
    for message in waiting.order_by("pk"):
        try:
            scheduled.cancel(message)
        except errors.NotScheduled:  # a worker was faster
            continue
        before, after = {"status": Status.CREATED.value}, {"status": Status.CANCELLED.value}
        audit.record(run.actor, "cancelled", message, before=before, after=after)
        number += 1
    return number


CANCEL_MESSAGES = BulkJob(
    name="cancel-messages",
    verb="Cancel",
    noun="scheduled message",
    done="cancelled",
    work=over_rows(_cancel_each),
    after="They will not be sent.",
)
CANCEL_SCHEDULED = FilterAction(
    job=CANCEL_MESSAGES,
    title="Cancel scheduled messages",
    button="Cancel",
    narrowed=lambda rows: rows.scheduled(),
    nothing="No message of this list is scheduled.",
    explanation=("If you cancel them, they will not be sent.", "This cannot be undone."),
    is_destructive=True,
)
