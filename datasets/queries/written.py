"""A stored record as JSON text: the caller's fields are JSON already, only the service's own are put around them."""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from datasets.queries.selected import Row
from datasets.records import moments


def record(row: Row) -> str:
    """Return one whole record: `_id`, the moments, the caller's fields, then the seven computed ones."""
    return "".join(_parts(row))


def _parts(row: Row) -> Iterator[str]:
    yield f'{{"_id":{json.dumps(row.record_id, ensure_ascii=False)},"_timestamp":"{moments.write(row.timestamp)}"'
    if row.start_at is not None:
        yield f',"_start_at":"{moments.write(row.start_at)}"'
    if row.end_at is not None:
        yield f',"_end_at":"{moments.write(row.end_at)}"'
    if row.body != "{}":
        yield "," + row.body[1:-1]
    yield f',"_updated_at":"{moments.write(row.updated_at)}",'
    yield _period_fields(row.timestamp.replace(minute=0, second=0, microsecond=0))
    yield "}"


@lru_cache(maxsize=4096)
def _period_fields(hour: datetime) -> str:
    starts = moments.period_starts(hour)
    return ",".join(f'"_{period}_start_at":"{moments.write(start)}"' for period, start in starts.items())
