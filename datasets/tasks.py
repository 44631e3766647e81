"""Celery entry points of the data set area: one call each. They return nothing and may run twice at once."""

from celery import shared_task

from datasets import store


@shared_task(ignore_result=True)
def forget_old_keys() -> None:
    """Remove idempotency keys that nobody can replay any more; asked for by the clock every hour."""
    store.forget_old_keys()
