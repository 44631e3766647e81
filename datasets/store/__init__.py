"""Write and remove records, one transaction for each change, and count calls and writes."""

from datasets.store import (
    call_counts,
    fields_seen,
    freshness,
    matching,
    one_record,
    partly,
    schemas,
    statistics,
    written,
)
from datasets.store.append import append, is_replay
from datasets.store.dry_run import known_ids
from datasets.store.empty import delete_emptied, due_emptied, empty, forget_emptied, undo, undoable
from datasets.store.imported import store_batch
from datasets.store.retention import AgedRecords, aged_records, preview, remove_beyond, remove_old, would_remove
from datasets.store.write_errors import log_write_error
