"""Messages on their way: the hint that one is due, and the sweep that finds what no hint came for.

The row is the queue and these are hints, so no task declares retries: a message to be tried again says so in its row.
Source: Security and reliability §10, §11.
"""

import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from celery import Task, shared_task
from celery.signals import worker_ready
from kombu.exceptions import KombuError

from config import publishing
from notifications.delivery import turns
from notifications.delivery.deliver import hand_over
from notifications.models import Channel, Claim, Notification

SWEEP_LIMIT = 500  # of messages enqueued in one sweep
HINTED_UP_TO = timedelta(
    minutes=1
)  # longer waits are left to the sweep: a worker holds what it is told early in memory

# A worker goes on for so long after a hint. Short: whoever stops it waits, and with the longest that one message may
# take a task must end before its time limit.
GOES_ON_SECONDS = 1.0
TRIES = 5  # of messages that other workers may have just taken

_CHANNELS = {f"send-{channel.value}": channel for channel in Channel}


@shared_task(bind=True)
def deliver(self: "Task[..., None]", notification_id: str) -> None:
    """Send one message of the channel whose queue the hint came by, and go on with what else waits there for a moment.

    The hinted one first, unless other services wait: they take turns. Whatever is to be tried again gets a hint for
    then, if that is soon.
    """
    channel = _CHANNELS.get(str((self.request.delivery_info or {}).get("routing_key")))
    goes_on_until = time.monotonic() + GOES_ON_SECONDS
    claim = turns.take(UUID(notification_id), channel) if channel else Claim.take(UUID(notification_id))
    while claim is not None:
        then = turns.following(channel) if channel and time.monotonic() < goes_on_until else None
        delay, following = hand_over(claim, then=then)
        if delay is not None and delay <= HINTED_UP_TO:
            hint(claim.notification.id, claim.notification.channel, in_seconds=delay.total_seconds())
        if channel:
            turns.note_busy(channel)
            if delay is None:
                turns.note_served(channel, claim.notification.id)
        claim = following or (_take_one_of(channel) if channel and then else None)


def _take_one_of(channel: Channel) -> Claim | None:
    """Take one of the next, which other workers are at, too. None: they have it all in hand."""
    known = (turns.following(channel) for _ in range(TRIES))
    return next((claim for one in known if one and (claim := Claim.take(one))), None)


def hint(notification_id: UUID, channel: str, *, in_seconds: float = 0) -> None:
    """Tell the workers of a channel that a message waits, once the transaction commits."""
    publishing.enqueue(deliver, str(notification_id), in_seconds=in_seconds, queue=f"send-{channel}")


@shared_task
def sweep() -> None:
    """Enqueue what is due and nobody was told of, every 10 s and when a worker starts."""
    enqueue_due()


def enqueue_due() -> int:
    """Give hints for up to SWEEP_LIMIT messages of each channel; returns how many were given.

    A hint is good for any message of its channel, so where many still wait in the broker there is no want of them.
    """
    given = 0
    for channel, held in _hints_held().items():
        ids = Notification.objects.filter(channel=channel).due_in_turn(SWEEP_LIMIT - held) if held < SWEEP_LIMIT else []
        Notification.objects.filter(id__in=ids).mark_enqueued()
        for notification_id in ids:
            hint(notification_id, channel)
        given += len(ids)
    return given


def _hints_held() -> dict[Channel, int]:
    """Return how many hints the broker holds; none of a channel about which it cannot be told anything now."""
    try:
        held = publishing.waiting(*_CHANNELS)
    except (KombuError, OSError):
        return {}
    return {channel: held[queue] for queue, channel in _CHANNELS.items()}


@worker_ready.connect
def sweep_at_start(**kwargs: Any) -> None:  # Any: what the signal says of the worker
    """Find at once what a dead worker held and what the broker lost."""
    publishing.enqueue(sweep)
