"""Marking unsubscribe requests as done, one or many."""

from collections.abc import Sequence

from django.utils import timezone

from config import audit
from config.audit.masking import mask
from config.jobs.bulk import BulkJob, over_rows
from config.jobs.models import BulkJobRun
from notifications.models import UnsubscribeRequest

KIND = "mark-unsubscribe-requests-done"


def _mark_done(run: BulkJobRun, ids: Sequence[str]) -> int:
    """Mark the waiting requests among these as done, audit each one, and return how many there were."""
    requests = list(UnsubscribeRequest.objects.waiting().select_for_update().filter(pk__in=ids))
    marked = UnsubscribeRequest.objects.filter(pk__in=[request.pk for request in requests])
    marked.update(done_at=timezone.now(), done_by=run.author)
    for request in requests:
        audit.record(run.actor, "marked_done", request, after={"email_address": mask(request.recipient)})
    return len(requests)


MARK_DONE = BulkJob(
    name=KIND,
    verb="Mark as done",
    noun="unsubscribe request",
    done="marked as done",
    work=over_rows(_mark_done),
)
