"""Celery tasks of the sending area. They take ids, return nothing and may run twice at the same time."""

from notifications.tasks.callbacks import (
    call_back,
    drain_callbacks,
    notify_owners,
    sweep_callbacks,
    wake_for_callbacks,
    wake_for_due_callbacks,
)
from notifications.tasks.invites import mail_invite, sweep_invites
from notifications.tasks.mailboxes import fetch_emails
from notifications.tasks.notices import mail_notice, sweep_notices
from notifications.tasks.receipts import apply_receipts
from notifications.tasks.sending import deliver, drain, sweep, wake, wake_for_due
from notifications.tasks.upkeep import close_without_receipt, count_messages, end_without_receipt, watch_limits
