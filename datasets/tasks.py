"""Celery tasks of the data set area. They may run twice at once."""

from uuid import UUID

from celery import shared_task
from django.conf import settings

from config.queue import publishing
from datasets import store
from datasets.columns import building, files
from datasets.imports import calling, job
from datasets.models import DataImport

_BUILDING_SECONDS = 60  # other long tasks wait meanwhile
_IMPORT_SECONDS = 2 * calling.READ_SECONDS + job.SLICE_SECONDS + 120  # a file may be read and converted in one task


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


@shared_task(ignore_result=True, time_limit=_IMPORT_SECONDS)
def work_on_import(import_id: str) -> None:
    """Work on an import for a time, and publish the task again if work is left."""
    run = DataImport.objects.select_related("data_set").filter(pk=UUID(import_id)).first()
    if run is not None and job.work(run):
        publishing.enqueue(work_on_import, import_id)


@shared_task(ignore_result=True)
def look_for_imports() -> None:
    """Wake a worker for each import whose wake-up is lost or whose worker has died. Runs every minute."""
    for import_id in DataImport.objects.to_wake().values_list("pk", flat=True):
        publishing.enqueue(work_on_import, str(import_id))
