"""Write a stored record as JSON. The caller's fields are JSON already; the service adds its own fields."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from datasets.queries.query import PERIODS
from datasets.queries.selected import Row
from datasets.records import moments

_HOUR = len("2024-01-01T13")
compact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def record(row: Row) -> str:
    """Return a record as JSON: `_id`, the moments, the caller's fields, and the seven computed fields."""
    start = "" if row.start_at is None else f',"_start_at":"{row.start_at}"'
    end = "" if row.end_at is None else f',"_end_at":"{row.end_at}"'
    own = "" if row.body == "{}" else f",{row.body[1:-1]}"
    return (
        f'{{"_id":{compact_json(row.record_id)},"_timestamp":"{row.timestamp}"{start}{end}{own},'
        f'"_updated_at":"{row.updated_at}",{_period_fields(row.timestamp[:_HOUR])}}}'
    )


def fields(row: Row) -> dict[str, Any]:
    """Return the fields that `record` writes."""
    found: dict[str, Any] = {"_id": row.record_id, "_timestamp": row.timestamp}
    if row.start_at is not None:
        found["_start_at"] = row.start_at
    if row.end_at is not None:
        found["_end_at"] = row.end_at
    found |= row.fields()
    found["_updated_at"] = row.updated_at
    found |= _period_values(row.timestamp[:_HOUR])
    return found


def selecting(names: Sequence[str]) -> tuple[Callable[[Row], str], Callable[[Row], dict[str, Any]]]:
    """Return `record` and `fields`, or functions like them for only these fields in this order."""
    if not names:
        return record, fields

    def some(row: Row) -> dict[str, Any]:
        found = fields(row)
        return {name: found[name] for name in names if name in found}

    return (lambda row: compact_json(some(row))), some


EVERYWHERE = frozenset({"_id", "_timestamp", "_updated_at", *(f"_{period}_start_at" for period in PERIODS)})


@lru_cache(maxsize=4096)
def _period_fields(hour: str) -> str:
    return compact_json(_period_values(hour))[1:-1]


@lru_cache(maxsize=4096)
def _period_values(hour: str) -> dict[str, str]:
    """hour: such as `2024-01-01T13`."""
    starts = moments.period_starts(moments.parse(f"{hour}:00Z"))
    return {f"_{period}_start_at": moments.write(start) for period, start in starts.items()}
