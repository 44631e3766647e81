"""Take receipts in, however they came. Source: the sending contract §19.2; Security and reliability §9."""

from collections.abc import Iterable

from config import publishing
from notifications import tasks
from notifications.delivery import status
from notifications.delivery.messages import Receipt

LOOK_AGAIN_SECONDS = 2  # a provider that reports at once is hardly earlier than our own note of the hand-over


def take_in(provider: str, receipts: Iterable[Receipt]) -> None:
    """Apply them; where one came early, have somebody look again soon. The clock does so every 10 s anyway."""
    if status.take_in(provider, receipts):
        publishing.enqueue(tasks.apply_receipts, in_seconds=LOOK_AGAIN_SECONDS)
