"""Celery tasks of the data set area. They may run twice at once."""

from celery import shared_task

from datasets import store


@shared_task(ignore_result=True)
def check_freshness() -> None:
    """Record data sets that became late or recovered. Runs every minute."""
    store.freshness.check_freshness()


@shared_task(ignore_result=True)
def note_fields() -> None:
    """Sample the fields of the data sets that changed. Runs every minute."""
    for data_set in store.fields_seen.stale().order_by("pk"):
        store.fields_seen.note(data_set)
