"""The row of a record, and the statement that puts rows where they belong."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

STORE = """
INSERT INTO datasets_record
    (data_set_id, record_id, "timestamp", start_at, end_at, body, updated_at, token_id, request_id)
SELECT %s, {columns}, %s, %s, %s FROM {source}
ON CONFLICT (data_set_id, record_id) DO UPDATE SET
    "timestamp" = excluded."timestamp", start_at = excluded.start_at, end_at = excluded.end_at, body = excluded.body,
    updated_at = excluded.updated_at, token_id = excluded.token_id, request_id = excluded.request_id
"""


class Origin(NamedTuple):
    """What all records of a batch share."""

    updated_at: datetime
    token_id: int | None
    request_id: UUID | None
