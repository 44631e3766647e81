"""What the console keeps of its own. Its rows hold ids of the areas' rows, never foreign keys."""

from config.console.models.audit_event import ActorKind, AppendOnlyQuerySet, AuditEvent, AuditIsAppendOnly
from config.console.models.invite import Invite
from config.console.models.runs import BackgroundStep, RetentionRun, Trigger
from config.console.models.saved_search import SEARCHES_ARE_KEPT_FOR, SavedSearch
from config.console.models.spent_nonce import SpentNonce

__all__ = [
    "SEARCHES_ARE_KEPT_FOR",
    "ActorKind",
    "AppendOnlyQuerySet",
    "AuditEvent",
    "AuditIsAppendOnly",
    "BackgroundStep",
    "Invite",
    "RetentionRun",
    "SavedSearch",
    "SpentNonce",
    "Trigger",
]
