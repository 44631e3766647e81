"""What health checks and metrics show of column files."""

from collections.abc import Iterator

from django.conf import settings
from django.db.models.functions import Now

from config.areas import Backlog, Finding
from config.databases.snapshot import snapshot
from datasets.columns import building, files
from datasets.models import DataSet, Segment

QUEUE = "column-files"
_SAMPLE = 3  # data sets


def backlogs() -> Iterator[Backlog]:
    """Return the number of open segments, and the age of the oldest."""
    found = Segment.objects.filter(is_built=False).order_by("opened_at")
    oldest = found.annotate(now=Now()).values_list("now", "opened_at").first()
    age = (oldest[0] - oldest[1]).total_seconds() if oldest else 0.0
    yield Backlog(queue=QUEUE, number=found.count(), oldest_seconds=age)


def column_files() -> Finding:
    """Fetch and count the newest column file of some data sets."""
    name = "column files"
    if not settings.COLUMNS:
        return Finding(name=name, seen="switched off by COLUMNS")
    if not files.has_cache():
        fix = "Let Signalbox write to COLUMNS_CACHE_DIR, or set COLUMNS to off. Until then large queries are slow."
        return Finding(name=name, seen=f"{settings.COLUMNS_CACHE_DIR} cannot be written", fix=fix)
    checked = 0
    for data_set in DataSet.objects.exclude(columns_until=None).order_by("-last_write_at")[:_SAMPLE]:
        segment = Segment.objects.filter(store_id=data_set.store_id).built().exclude(file="").last()
        if segment is None:
            continue
        error = _error_of(segment)
        if error:
            fix = f"Run `manage.py columns verify --set {data_set}`. Answers are right all the same, and slower."
            return Finding(name=name, seen=f"{data_set}: {error}", fix=fix)
        checked += 1
    return Finding(name=name, seen=f"{checked} fetched and counted" if checked else "none needed yet")


def _error_of(segment: Segment) -> str:
    files.forget(segment.file)
    try:
        files.fetch(segment.file)
    except files.FileDamaged:
        return "a file is missing or damaged"
    except OSError as error:
        return f"the file store: {type(error).__name__}"
    with snapshot():
        if not Segment.objects.filter(pk=segment.pk, version=segment.version).exists():
            return ""  # it has changed since
        return (
            ""
            if building.records_of(segment).count() == segment.records
            else "a file has other records than the database"
        )
