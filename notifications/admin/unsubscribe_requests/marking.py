"""Marking unsubscribe requests as done, one or many."""

from collections.abc import Sequence

from django.utils import timezone

from config.console import audit
from config.console.background import kinds, steps
from config.console.background.kinds import Kind, over_rows
from config.console.masking import mask
from config.console.models import BackgroundStep
from notifications.models import UnsubscribeRequest

KIND = "mark-unsubscribe-requests-done"


def _mark_done(step: BackgroundStep, ids: Sequence[str]) -> int:
    """Mark those of these requests that wait, and return how many. The audit has an event for each."""
    requests = list(UnsubscribeRequest.objects.waiting().select_for_update().filter(pk__in=ids))
    marked = UnsubscribeRequest.objects.filter(pk__in=[request.pk for request in requests])
    marked.update(done_at=timezone.now(), done_by=steps.author_of(step))
    for request in requests:
        audit.record(
            steps.actor_of(step),
            "marked_done",
            object_kind="unsubscriberequest",
            object_id=request.pk,
            service_id=request.service_id,
            after={"email_address": mask(request.recipient)},
        )
    return len(requests)


kinds.register(
    Kind(
        name=KIND,
        verb="Mark as done",
        noun="unsubscribe request",
        done="marked as done",
        batch=over_rows(_mark_done),
    )
)
