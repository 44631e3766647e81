"""Celery tasks of the data set area. They may run twice at once."""

from celery import shared_task
from django.conf import settings

from datasets import store
from datasets.columns import building, files
from datasets.saved_queries import deriving

_BUILDING_SECONDS = 60  # other long tasks wait meanwhile


@shared_task(ignore_result=True)
def check_freshness() -> None:
    """Record data sets that became late or recovered. Runs every minute."""
    store.freshness.check_freshness()


@shared_task(ignore_result=True)
def note_fields() -> None:
    """Sample the fields of the data sets that changed. Runs every minute."""
    for data_set in store.fields_seen.stale().order_by("pk"):
        store.fields_seen.note(data_set)


@shared_task(ignore_result=True, time_limit=_BUILDING_SECONDS + 330)
def build_columns() -> None:
    """Cut large data sets into segments, and build the column files that are due. Runs every minute."""
    if settings.COLUMNS and files.has_cache() and building.may_begin():
        building.build_due(_BUILDING_SECONDS)


@shared_task(ignore_result=True, time_limit=_BUILDING_SECONDS + 330)
def store_saved_queries() -> None:
    """Store the rows of saved queries that are due. Runs every minute."""
    deriving.store_due()
