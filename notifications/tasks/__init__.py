"""Celery entry points of the sending area: one call each. They take ids, return nothing, and may run twice at once."""

from notifications.tasks.callbacks import call_back, enqueue_callbacks, sweep_callbacks, tell_owners
from notifications.tasks.invites import mail_invite, sweep_invites
from notifications.tasks.receipts import apply_receipts
from notifications.tasks.sending import deliver, enqueue_due, hint, sweep
from notifications.tasks.upkeep import close_silent, count_messages, end_silent

__all__ = [
    "apply_receipts",
    "call_back",
    "close_silent",
    "count_messages",
    "deliver",
    "end_silent",
    "enqueue_callbacks",
    "enqueue_due",
    "hint",
    "mail_invite",
    "sweep",
    "sweep_callbacks",
    "sweep_invites",
    "tell_owners",
]
