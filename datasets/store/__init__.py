"""How records get into a data set and out of it; each change is one transaction."""

from datasets.store.append import IdempotencyKey, append, is_replay
from datasets.store.empty import empty
from datasets.store.forget import forget_old_keys

__all__ = ["IdempotencyKey", "append", "empty", "forget_old_keys", "is_replay"]
