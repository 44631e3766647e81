"""Tasks for callbacks: the drain that a wake-up starts, and the sweep that finds callbacks without a wake-up.

The rows are the queue, as for messages, so no task declares retries. Source: docs/reference/security.md §10, §11.
"""

from typing import Any
from uuid import UUID

from celery import shared_task
from django.dispatch import receiver
from kombu.exceptions import KombuError

from config.queue import publishing
from notifications.delivery.callbacks import owners
from notifications.delivery.callbacks.due import DueCallbacks
from notifications.delivery.drain import Drain
from notifications.delivery.providers.per_thread import PerThread
from notifications.models import CallbackDelivery
from notifications.models.callback_owing import callbacks_stored

QUEUE = "callbacks"  # as in CELERY_TASK_ROUTES
SWEEP_WAKES = 20  # most wake-ups of one sweep; each worker continues until nothing is due
WAKE_WITHIN_SECONDS = 60  # the sweep finds later callbacks: a worker keeps a delayed wake-up in memory

_drain = PerThread(lambda: Drain(DueCallbacks(), largest_batch=1))


@shared_task
def drain_callbacks() -> None:
    """Make the due callbacks, fairly over endpoints, until none is due or the time is used up.

    Publish wake-ups for the callbacks that remain or are due again soon.
    """
    drained = _drain().run()
    if drained.is_more_left:
        wake_for_callbacks()
    for seconds in drained.retries:
        if seconds <= WAKE_WITHIN_SECONDS:
            wake_for_callbacks(in_seconds=seconds)


@shared_task
def call_back(delivery_id: str) -> None:
    """Handle a wake-up of the previous version, which named a callback."""
    drain_callbacks()


def wake_for_callbacks(*, in_seconds: float = 0) -> None:
    """Wake a worker for callbacks once the transaction commits."""
    publishing.enqueue(drain_callbacks, in_seconds=in_seconds)


@receiver(callbacks_stored, dispatch_uid="tasks.callbacks")
def wake_for_stored_callbacks(**kwargs: Any) -> None:  # Any: the arguments of the signal
    wake_for_callbacks()


@shared_task
def notify_owners(endpoint_id: str) -> None:
    """Email the owners of a paused callback."""
    owners.mail(UUID(endpoint_id))


@shared_task
def sweep_callbacks() -> None:
    """Wake workers for due callbacks without a wake-up, every 10 s."""
    wake_for_due_callbacks()
    for endpoint_id in owners.waiting():
        publishing.enqueue(notify_owners, str(endpoint_id))


def wake_for_due_callbacks() -> int:
    """Publish a wake-up for each due callback without one, up to SWEEP_WAKES, and return their number.

    If the broker cannot count its wake-ups, publish none. The next sweep tries again.
    """
    try:
        waiting = publishing.waiting(QUEUE)[QUEUE]
    except (KombuError, OSError):
        return 0
    due = CallbackDelivery.objects.due()[: max(0, SWEEP_WAKES - waiting)].count()
    for _ in range(due):
        wake_for_callbacks()
    return due
