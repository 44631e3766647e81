"""Fetch the emails of the mailbox in RETURNED_EMAIL_IMAP_URL, in one process at a time."""

import uuid
from collections.abc import Mapping

import structlog
from django.conf import settings

from config.queue import presence
from notifications.delivery.returned_emails.imap import Mailbox
from notifications.delivery.returned_emails.mailbox import Taken

LEASE = "mailbox"
LEASE_SECONDS = 300.0  # as long as the task may run

log = structlog.get_logger()


def poll() -> Mapping[Taken, int] | None:
    """Return how many emails became what, or None if another process is fetching. Raises MailboxAway."""
    holder = str(uuid.uuid4())
    if not presence.take(LEASE, holder, seconds=LEASE_SECONDS):
        return None
    try:
        taken = Mailbox.parse(settings.RETURNED_EMAIL_IMAP_URL).fetch()
    finally:
        presence.release(LEASE, holder)
    if taken:
        log.info("mailbox.fetched", **{outcome.name.lower(): number for outcome, number in taken.items()})
    return taken
