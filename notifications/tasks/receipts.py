"""Receipts that came before their message was known. Source: the sending contract §19.2; Security §9."""

from celery import shared_task

from notifications.delivery import status


@shared_task
def apply_receipts() -> None:
    """Apply the early receipts whose message is known by now, every 10 s."""
    status.apply_early()
