"""The Celery task of the sandbox. It is here and not with the other tasks, because replies go through submission."""

from typing import Any

from celery import shared_task
from django.dispatch import receiver

from config.queue import publishing
from notifications.models.sandbox_outcome import sandbox_events_stored
from notifications.sandbox import playing

FIRST_LOOK_SECONDS = 0.3  # the acceptance of the message is recorded with those of its batch
WAKE_WITHIN_SECONDS = 60  # the sweep finds later events: a worker keeps a delayed wake-up in memory


@shared_task
def play_events() -> None:
    """Play the events that are due, every 10 s and when one is stored."""
    if playing.play_due():
        publishing.enqueue(play_events, in_seconds=playing.AGAIN_AFTER.total_seconds())


@receiver(sandbox_events_stored, dispatch_uid="sandbox.events")
def wake_for_events(seconds: int, **kwargs: Any) -> None:  # Any: the arguments of the signal
    if seconds <= WAKE_WITHIN_SECONDS:
        publishing.enqueue(play_events, in_seconds=max(seconds, FIRST_LOOK_SECONDS))
