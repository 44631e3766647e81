"""Apply delivery receipts from HTTP or SMPP.

Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §9.
"""

from collections.abc import Iterable

from config.queue import publishing
from notifications import tasks
from notifications.delivery import status
from notifications.delivery.messages import Receipt

LOOK_AGAIN_SECONDS = 2  # a fast receipt arrives shortly before the message is recorded as sent


def take_in(provider: str, receipts: Iterable[Receipt]) -> None:
    """Apply receipts. If one is early, publish a task that applies it soon, before the sweep of every 10 s."""
    if status.take_in(provider, receipts):
        publishing.enqueue(tasks.apply_receipts, in_seconds=LOOK_AGAIN_SECONDS)
