"""Callbacks on their way: the hint that one is due, and the sweep that finds what no hint came for.

As for messages, the row is the queue and no task declares retries. Source: Security and reliability §10, §11.
"""

from uuid import UUID

from celery import shared_task
from kombu.exceptions import KombuError

from config import publishing
from notifications.delivery.callbacks import call, owners, turns
from notifications.models import CallbackDelivery

QUEUE = "callbacks"  # as CELERY_TASK_ROUTES has it
SWEEP_LIMIT = 500  # of callbacks enqueued in one sweep


@shared_task
def call_back(delivery_id: str) -> None:
    """Make one callback, and leave a hint for its next try where that is soon.

    The hinted one, unless other endpoints wait: they take turns. After one that fails the next of these is led in.
    """
    delivery = turns.take(UUID(delivery_id))
    if delivery is None:
        return
    delay = call.make(delivery)
    turns.note_busy()
    if delay is not None:
        publishing.enqueue(call_back, str(delivery.id), in_seconds=delay.total_seconds())
    if delivery.endpoint.failing_since is not None:
        for waiting in CallbackDelivery.objects.next_to_failing():
            publishing.enqueue(call_back, str(waiting))


@shared_task
def tell_owners(endpoint_id: str) -> None:
    """Mail the people of a service that a callback of theirs has been paused."""
    owners.tell(UUID(endpoint_id))


@shared_task
def sweep_callbacks() -> None:
    """Enqueue what is due and nobody was told of, every 10 s."""
    enqueue_callbacks()
    for endpoint_id in owners.untold():
        publishing.enqueue(tell_owners, str(endpoint_id))


def enqueue_callbacks() -> int:
    """Give hints for up to SWEEP_LIMIT callbacks, less those the broker still holds; returns how many were given.

    None while the broker cannot say: the next sweep asks again.
    """
    try:
        held = publishing.waiting(QUEUE)[QUEUE]
    except (KombuError, OSError):
        return 0
    ids = CallbackDelivery.objects.due_in_turn(SWEEP_LIMIT - held) if held < SWEEP_LIMIT else []
    CallbackDelivery.objects.filter(id__in=ids).mark_enqueued()
    for delivery_id in ids:
        publishing.enqueue(call_back, str(delivery_id))
    return len(ids)
