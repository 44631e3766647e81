"""Write and remove records, one transaction for each change, and count calls and writes."""

from datasets.store import call_counts, fields_seen, freshness
from datasets.store.append import append, is_replay
from datasets.store.empty import empty, empty_a_part, record_emptied
from datasets.store.retention import Preview, kept_from, preview, remove_beyond, remove_old, would_remove
from datasets.store.write_errors import log_write_error

__all__ = [
    "Preview",
    "append",
    "call_counts",
    "empty",
    "empty_a_part",
    "fields_seen",
    "freshness",
    "is_replay",
    "kept_from",
    "log_write_error",
    "preview",
    "record_emptied",
    "remove_beyond",
    "remove_old",
    "would_remove",
]
