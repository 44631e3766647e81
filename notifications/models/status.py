"""The statuses of a message and their order. A status never moves backwards.

Source: docs/reference/sending-api.md §18.
"""

from django.db import models


class Status(models.TextChoices):
    CREATED = "created"
    SENDING = "sending"
    SENT = "sent"
    PENDING = "pending"
    DELIVERED = "delivered"
    TEMPORARY_FAILURE = "temporary-failure"
    PERMANENT_FAILURE = "permanent-failure"
    TECHNICAL_FAILURE = "technical-failure"
    CANCELLED = "cancelled"


FAILURES = frozenset({Status.TEMPORARY_FAILURE, Status.PERMANENT_FAILURE, Status.TECHNICAL_FAILURE})
FINAL = FAILURES | {Status.DELIVERED, Status.CANCELLED}
COMPLETED = FINAL | {Status.SENT}  # these set `completed_at`

_MAY_BECOME = {
    Status.CREATED: FAILURES | {Status.SENDING, Status.SENT, Status.DELIVERED, Status.CANCELLED},
    Status.SENDING: FAILURES | {Status.PENDING, Status.DELIVERED},
    Status.SENT: frozenset({Status.DELIVERED, Status.TEMPORARY_FAILURE, Status.PERMANENT_FAILURE}),
    Status.PENDING: FAILURES | {Status.DELIVERED},
}


def sources(status: Status) -> frozenset[Status]:
    """Return the statuses that may change to this one: the condition of every update.

    >>> sorted(sources(Status.PENDING))
    [Status.SENDING]
    """
    return frozenset(source for source, targets in _MAY_BECOME.items() if status in targets)
