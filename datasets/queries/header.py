"""The names of all fields of a data set, for the header of its CSV.

Built segments state the columns of their files, so only records outside of them are read: a data set of 100 million
records is answered as fast as its open records allow.
"""

from collections.abc import Iterator
from dataclasses import replace

from datasets.columns import layout
from datasets.models import DataSet, Segment
from datasets.models.segment import EARLIEST
from datasets.queries import export, parameters, raw, written
from datasets.queries.readers import ALL

_BOUNDS = parameters.Bounds(default_limit=1, max_limit=1)


def names(data_set: DataSet) -> list[str]:
    """Return the names in the order of the CSV. Raises TooManyColumns."""
    return sorted(export.columns(_names(data_set)))


def _names(data_set: DataSet) -> Iterator[str]:
    store_id = data_set.store_id
    everything = parameters.parse("format=csv", data_set_id=data_set.pk, bounds=_BOUNDS, reader=ALL)
    if data_set.columns_until is None:
        yield from raw.field_names(store_id, everything)
        return
    for segment in Segment.objects.filter(store_id=store_id):
        if segment.is_built and layout.REST not in segment.columns:
            yield from written.EVERYWHERE if segment.records else ()
            yield from map(layout.field_of, segment.columns)
        else:
            start_at = None if segment.starts_at == EARLIEST else segment.starts_at
            yield from raw.field_names(store_id, replace(everything, start_at=start_at, end_at=segment.ends_at))
    yield from raw.field_names(store_id, replace(everything, start_at=data_set.columns_until))
