"""Celery entry points of the data set area: one call each, safe to run twice at once."""

from celery import shared_task

from datasets import store


@shared_task
def forget_old_keys() -> None:
    """Forget the idempotency keys that nobody can replay any more, every hour."""
    store.forget_old_keys()
