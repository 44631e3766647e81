"""How records get into a data set and out of it; each change is one transaction. And what is counted on the way."""

from datasets.store import fields_seen, freshness, tallies
from datasets.store.append import IdempotencyKey, append, is_replay
from datasets.store.empty import empty, empty_a_part
from datasets.store.forget import forget_old_keys, old_keys
from datasets.store.refusals import note_refusal
from datasets.store.retention import Preview, kept_from, preview, remove_beyond, remove_old, would_remove

__all__ = [
    "IdempotencyKey",
    "Preview",
    "append",
    "empty",
    "empty_a_part",
    "fields_seen",
    "forget_old_keys",
    "freshness",
    "is_replay",
    "kept_from",
    "note_refusal",
    "old_keys",
    "preview",
    "remove_beyond",
    "remove_old",
    "tallies",
    "would_remove",
]
