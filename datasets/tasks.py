"""Celery entry points of the data set area: one call each. They return nothing and may run twice at once."""

from celery import shared_task

from datasets import store


@shared_task(ignore_result=True)
def check_freshness() -> None:
    """Say in the audit which data sets have turned late and which have recovered; every minute."""
    store.freshness.check_freshness()


@shared_task(ignore_result=True)
def note_fields() -> None:
    """Look which fields the sets have that changed since the last look; every minute."""
    for data_set in store.fields_seen.stale().order_by("pk").iterator():
        store.fields_seen.note(data_set)
