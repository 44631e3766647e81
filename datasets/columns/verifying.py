"""Compare column files with the records of their segments."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from config import limited
from config.databases.snapshot import snapshot
from datasets.columns import building, duckdb, files
from datasets.models import DataSet, Segment


def differing(data_set: DataSet, *, most: int | None = None) -> Iterator[Segment]:
    """Yield the built segments whose file is missing, damaged, or differs from the records of the row store.

    most: compare only so many segments, the newest
    """
    for segment in Segment.objects.filter(store_id=data_set.store_id).built().order_by("-starts_at")[:most]:
        if not _is_equal(segment):
            yield segment


def _is_equal(segment: Segment) -> bool:
    """Return whether the file has exactly the records, or the segment has changed meanwhile."""
    with tempfile.TemporaryDirectory(dir=files.cache_folder(), prefix="building-") as folder:
        lines = Path(folder) / "lines.json"
        with snapshot():
            seen = Segment.objects.filter(pk=segment.pk, version=segment.version).built().first()
            if seen is None:
                return True
            writer = building.write_lines(seen, lines)
        if not seen.file:
            return writer.longest == 0
        files.forget(seen.file)  # so that the file in the store is compared, not the local copy
        try:
            path = files.fetch(seen.file)
        except files.FileDamaged:
            return False
        columns = tuple(sorted(writer.columns))
        return limited.run(
            duckdb.is_equal, str(lines), columns, writer.longest, str(path), building.MEMORY_MB, limits=building.LIMITS
        )
