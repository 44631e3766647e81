"""The names of all fields of a data set or of the records of a read, for the header of a CSV.

Built segments state the columns of their files, so only records outside of them are read: a data set of 100 million
records is answered as fast as its open records allow.
"""

from collections.abc import Iterator

from datasets.columns import layout
from datasets.models import DataSet
from datasets.queries import by_segment, export, parameters, raw, written
from datasets.queries.query import Query
from datasets.queries.readers import ALL

_BOUNDS = parameters.Bounds(default_limit=1, max_limit=1)


def names(data_set: DataSet) -> list[str]:
    """Return the names in the order of the CSV. Raises TooManyColumns."""
    everything = parameters.parse("format=csv", data_set_id=data_set.pk, bounds=_BOUNDS, reader=ALL)
    return of(data_set, everything)


def of(data_set: DataSet, query: Query) -> list[str]:
    """Return the names of the records of a raw read without a limit, as `names` does. Raises TooManyColumns."""
    return sorted(export.columns(_names(data_set, query)))


def _names(data_set: DataSet, query: Query) -> Iterator[str]:
    if data_set.columns_until is None or query.filters or query.where is not None:
        yield from raw.field_names(data_set.store_id, query)
        return
    for part, segment in by_segment.parts(data_set, query):
        if segment is not None and layout.REST not in segment.columns:
            yield from written.EVERYWHERE if segment.records else ()
            yield from map(layout.field_of, segment.columns)
        else:
            yield from raw.field_names(data_set.store_id, part)
