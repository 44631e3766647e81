"""Run the work of a wake-up in the process of the test."""

import uuid
from typing import Any

from notifications.delivery.callbacks.due import DueCallbacks
from notifications.delivery.claiming import Claim, claim_due
from notifications.delivery.drain import Drain, Drained
from notifications.delivery.outbox import Outbox
from notifications.models import Channel, Notification


def drain_messages(channel: Channel | None = None) -> set[int]:
    """Send everything that is due, and return the seconds until something is due again."""
    return {seconds for one in ([channel] if channel else Channel) for seconds in drain(one).retries}


def drain(channel: Channel = Channel.EMAIL, **options: Any) -> Drained:
    return Drain(Outbox(channel), **{"seconds": 600, "slow_seconds": 600, **options}).run()


def claim_one(message: uuid.UUID | str) -> Claim | None:
    """Claim the due messages of this message's channel, and return the claim of this one or None."""
    identifier = uuid.UUID(str(message))
    channel = Channel(Notification.objects.get(id=identifier).channel)
    return next((one for one in claim_due(channel, 100) if one.notification.id == identifier), None)


def drain_callbacks() -> set[int]:
    """Send all due callbacks, and return the seconds until one is due again."""
    return Drain(DueCallbacks(), largest_batch=1, seconds=600).run().retries
