"""Celery tasks of the sending area. They take ids, return nothing and may run twice at the same time."""

from notifications.tasks.callbacks import (
    call_back,
    drain_callbacks,
    sweep_callbacks,
    tell_owners,
    wake_for_callbacks,
    wake_for_due_callbacks,
)
from notifications.tasks.invites import mail_invite, sweep_invites
from notifications.tasks.receipts import apply_receipts
from notifications.tasks.sending import deliver, drain, sweep, wake, wake_for_due
from notifications.tasks.upkeep import close_silent, count_messages, end_silent

__all__ = [
    "apply_receipts",
    "call_back",
    "close_silent",
    "count_messages",
    "deliver",
    "drain",
    "drain_callbacks",
    "end_silent",
    "mail_invite",
    "sweep",
    "sweep_callbacks",
    "sweep_invites",
    "tell_owners",
    "wake",
    "wake_for_callbacks",
    "wake_for_due",
    "wake_for_due_callbacks",
]
