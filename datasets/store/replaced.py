"""Find the moments of stored records that a write replaces, because the segments of both moments change."""

from collections.abc import Sequence
from datetime import datetime

from datasets.models import Record
from datasets.store.write_lock import LockedStore

_AT_ONCE = 5_000  # ids in one statement; SQLite takes 32,766 parameters


def moments_before(locked: LockedStore, ids: Sequence[str]) -> list[datetime]:
    """Return the `_timestamp` of each stored record of these ids that is in a segment."""
    if locked.columns_until is None:
        return []
    stored = Record.objects.filter(store_id=locked.id, timestamp__lt=locked.columns_until).order_by()
    moments = stored.values_list("timestamp", flat=True)
    parts = (ids[first : first + _AT_ONCE] for first in range(0, len(ids), _AT_ONCE))
    return [moment for part in parts for moment in moments.filter(record_id__in=part)]
