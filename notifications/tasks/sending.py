"""Tasks for messages: the drain of a channel that a wake-up starts, and the sweep that finds messages without one.

The rows are the queue, and a wake-up names only a channel. No task declares retries, because the row of a message
holds the time of its next attempt. Source: docs/reference/security.md §10, §11.
"""

from functools import partial
from typing import Any

from celery import Task, shared_task
from celery.signals import worker_ready
from kombu.exceptions import KombuError

from config.queue import publishing
from notifications.delivery import pauses, providers
from notifications.delivery.claiming import Claim
from notifications.delivery.drain import Drain
from notifications.delivery.outbox import Outbox
from notifications.delivery.providers.per_thread import PerThread
from notifications.models import Channel, Notification

SWEEP_WAKES = 20  # most wake-ups of one sweep for a channel; each worker continues until nothing is due
WAKE_WITHIN_SECONDS = 60  # the sweep finds later messages: a worker keeps a delayed wake-up in memory

_QUEUES = {f"send-{channel.value}": channel for channel in Channel}


@shared_task
def drain(channel: str) -> None:
    """Send the due messages of a channel, fairly over services, until none is due or the time is used up.

    Publish wake-ups for the messages that remain or are due again soon.
    """
    drained = _drains[Channel(channel)]().run()
    if drained.is_more_left:
        wake(channel)
    for seconds in drained.retries:
        if seconds <= WAKE_WITHIN_SECONDS:
            wake(channel, in_seconds=seconds)


@shared_task(bind=True)
def deliver(self: "Task[..., None]", notification_id: str) -> None:
    """Handle a wake-up of the previous version, which named a message: drain the channel of its queue."""
    channel = _QUEUES.get(str((self.request.delivery_info or {}).get("routing_key")))
    if channel:
        drain(channel.value)


def wake(channel: str, *, in_seconds: float = 0) -> None:
    """Wake a worker of a channel once the transaction commits."""
    publishing.enqueue(drain, channel, in_seconds=in_seconds, queue=f"send-{channel}")


@shared_task
def sweep() -> None:
    """Wake workers for due messages without a wake-up, every 10 s and when a worker starts."""
    wake_for_due()


def wake_for_due() -> int:
    """Publish a wake-up for each due message without one, up to SWEEP_WAKES a channel, and return their number.

    A stopped channel gets none. If the broker cannot count its wake-ups, publish none. The next sweep tries again.
    """
    published = 0
    for channel, waiting in _wake_ups_waiting().items():
        if waiting < SWEEP_WAKES and not pauses.is_stopped(channel, providers.names_for(channel)):
            due = Notification.objects.filter(channel=channel).due()[: SWEEP_WAKES - waiting].count()
            for _ in range(due):
                wake(channel)
            published += due
    return published


def _wake_ups_waiting() -> dict[Channel, int]:
    try:
        waiting = publishing.waiting(*_QUEUES)
    except (KombuError, OSError):
        return {}
    return {channel: waiting[queue] for queue, channel in _QUEUES.items()}


def _new_drain(channel: Channel) -> Drain[Claim]:
    return Drain(Outbox(channel), wake=partial(wake, channel.value))


_drains = {channel: PerThread(partial(_new_drain, channel)) for channel in Channel}


@worker_ready.connect
def sweep_at_start(**kwargs: Any) -> None:  # Any: the arguments of the signal
    """Find messages that a dead worker claimed or whose wake-up the broker lost."""
    publishing.enqueue(sweep)
