"""The task for delivery receipts that arrived before their message was recorded as sent.

Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §9.
"""

from celery import shared_task

from notifications.delivery import status


@shared_task
def apply_receipts() -> None:
    """Apply the early receipts whose message is now recorded, every 10 s."""
    status.apply_early()
