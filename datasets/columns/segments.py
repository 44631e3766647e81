"""Which segments a change of records touches, and the lists of segments that reads and the builder use.

A write opens the segments of its records in its own transaction. So no reader ever uses a file that lacks a stored
record. Source: docs/reference/column-files.md §3.
"""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime

from datasets.models import Segment


def open_at(store_id: int, until: datetime | None, moments: Iterable[datetime | str]) -> None:
    """Open the segments that have these moments. It runs in the transaction of the change.

    until: `DataSet.columns_until`, read under the lock of the data set; most writes are later and cost nothing here
    moments: the `_timestamp` of each record that was stored, replaced or deleted, before and after the change;
        a text has the form of answers
    """
    if until is None:
        return
    border = _second(until)
    seconds = set(map(_second, moments))
    seconds = {second for second in seconds if second < border}
    if not seconds:
        return
    rows = list(Segment.objects.filter(store_id=store_id).order_by("starts_at").values_list("starts_at", "pk"))
    starts = [_second(starts_at) for starts_at, _ in rows]
    touched = {rows[bisect_right(starts, second) - 1][1] for second in seconds}
    Segment.objects.filter(pk__in=touched).note_change()


def open_between(store_id: int, ends: Iterable[dict[str, datetime | None]]) -> None:
    """Open the segments between the least and the greatest moment of each range; a range of None has no records."""
    for one in ends:
        if one["least"] is not None:
            Segment.objects.filter(store_id=store_id).overlapping(one["least"], one["greatest"]).note_change()


def _second(moment: datetime | str) -> str:
    """Return the moment to the second, as text that sorts by time. The borders of segments are whole seconds."""
    return moment[:19] if isinstance(moment, str) else moment.replace(tzinfo=None).isoformat()[:19]
