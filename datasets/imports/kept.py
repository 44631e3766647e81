"""Delete imports with their files: after their time, or to make room. Source: docs/reference/imports.md §7."""

import shutil
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from datasets.imports import files
from datasets.models import DataImport, DataSet
from datasets.models.data_import import OVER, WORKING

MOST_IMPORTS = 1_000  # of a data set that are over
MOST_FILES = 10  # of the largest size: a key must not fill the disk


def delete(run: DataImport) -> None:
    """Delete an import with its files. If it is interrupted, `delete_left_behind` deletes the files later."""
    import_id = run.pk
    run.delete()
    files.delete(import_id)


def delete_unchanged(run: DataImport) -> bool:
    """Delete an import with its files. Return False if somebody has gone on with it since it was read."""
    is_deleted = DataImport.objects.filter(pk=run.pk, state=run.state).delete()[0] > 0
    if is_deleted:
        files.delete(run.pk)
    return is_deleted


def make_room(data_set: DataSet) -> None:
    """Delete the oldest imports that are over, if there are too many or their files are too large together."""
    most_bytes, size = MOST_FILES * settings.IMPORT_MAX_BYTES, 0
    over = DataImport.objects.filter(data_set=data_set, state__in=OVER).order_by("-started_at", "-pk")
    for number, run in enumerate(over.only("pk", "file_bytes", "state"), 1):
        size += run.file_bytes
        if number > MOST_IMPORTS or size > most_bytes:
            delete_unchanged(run)


def delete_left_behind(older_than_seconds: float) -> int:
    """Delete files without an import, and old working folders. Return the number of deleted files."""
    deleted = 0
    for import_id, name in files.named():
        old = files.file_store().get_modified_time(name).timestamp() < time.time() - older_than_seconds
        if old and not DataImport.objects.filter(pk=import_id).exists():
            files.file_store().delete(name)
            deleted += 1
    working = set(map(str, DataImport.objects.filter(state__in=WORKING).values_list("pk", flat=True)))
    for folder in Path(settings.IMPORT_WORK_DIR).glob("*-*/"):
        with suppress(FileNotFoundError):
            is_old = folder.stat().st_mtime < time.time() - older_than_seconds
            if is_old and folder.name not in working:
                shutil.rmtree(folder, ignore_errors=True)
    return deleted
