"""Choose what answers a read: the row store, or the query process over column files.

Source: docs/reference/column-files.md.
"""

from datetime import datetime
from typing import Any

from datasets.models import DataSet
from datasets.queries import counting, groups, periods, selected
from datasets.queries.query import Query


def grouped(data_set: DataSet, query: Query, *, now: datetime, max_rows: int) -> list[dict[str, Any]]:
    """Return the rows of a grouped read, a read by period, or both. Raises InvalidQuery."""
    window = periods.window(query, query.period, now=now, max_rows=max_rows) if query.period else None
    span = window or query
    records = selected.records(data_set.store_id, query, span.start_at, span.end_at, inclusive=span.inclusive)
    return groups.rows(counting.count(records, query), query, window, max_rows=max_rows)
