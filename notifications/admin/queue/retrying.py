"""Failed work: send callbacks again, start jobs again, and delete unreadable queue messages."""

from collections.abc import Iterator
from typing import Any  # the user of a request

from django.db import transaction

from config import audit
from config.audit import Actor
from config.jobs import failed
from config.jobs.bulk import BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from config.queue import publishing, unreadable
from config.queue.titles import TITLES
from notifications import tasks
from notifications.admin.queue import queues
from notifications.models import CallbackDelivery

KIND = "retry-callbacks"


def _send_again(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    """Make the callbacks due that had failed when the run was started, oldest first."""
    due = queues.given_up().filter(finished_at__lte=run.started_at).order_by("finished_at")
    while some := list(due.values_list("pk", flat=True)[: pace.at_once]):
        yield Batch(passed=len(some), number=CallbackDelivery.objects.filter(pk__in=some).repeat())


def _at_end(run: BulkJobRun) -> None:
    audit.record(run.actor, "retried", **_about("callbacks"), after={"callbacks": run.changed})
    tasks.wake_for_callbacks()


RETRY_CALLBACKS = BulkJob(
    name=KIND,
    verb="Retry",
    noun="callback",
    done="being sent again",
    work=_send_again,
    after="Callbacks of a paused endpoint wait until it is resumed.",
    at_end=_at_end,
)


def start_jobs(user: Any, by: Actor) -> int:
    """Start all failed jobs again, record it, and return their number."""
    with transaction.atomic():
        number = failed.start_again(user)
        if number:
            audit.record(by, "retried", **_about("upkeep"), after={"jobs": number})
    return number


def delete_unreadable(by: Actor) -> int:
    """Delete the queue messages that were moved aside. Raises KombuError or OSError if the queue does not answer."""
    number = publishing.delete_all(unreadable.QUEUE)
    if number:
        audit.record(by, "deleted_messages", **_about(unreadable.QUEUE), after={"messages": number})
    return number


def _about(queue: str) -> dict[str, Any]:
    """Return the arguments of `audit.record` that describe a queue."""
    return {"object_kind": "queue", "object_id": queue, "label": TITLES.get(queue, queue)}
