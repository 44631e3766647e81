"""The statement that upserts records."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

_STORE = """
INSERT INTO datasets_record
    (data_set_id, record_id, "timestamp", start_at, end_at, body, updated_at, token_id, request_id)
SELECT {store_id}, {columns}, {origin} FROM {source}
ON CONFLICT (data_set_id, record_id) DO UPDATE SET
    "timestamp" = excluded."timestamp", start_at = excluded.start_at, end_at = excluded.end_at, body = excluded.body,
    updated_at = excluded.updated_at, token_id = excluded.token_id, request_id = excluded.request_id
"""
_TYPES = ("timestamptz", "bigint", "uuid")  # of the SharedColumns, on PostgreSQL


def store(columns: str, source: str, *, store_id: str = "%s", is_typed: bool = False) -> str:
    """Return the statement. Its parameters are the store, the SharedColumns, and those of `source`.

    store_id: an expression that replaces the first parameter
    is_typed: add types to the parameters; PostgreSQL needs them to prepare the statement
    """
    origin = (f"%s::{name}" if is_typed else "%s" for name in _TYPES)
    return _STORE.format(store_id=store_id, columns=columns, origin=", ".join(origin), source=source)


class SharedColumns(NamedTuple):
    """The columns that all records of one batch share."""

    updated_at: datetime
    token_id: int | None
    request_id: UUID | None
