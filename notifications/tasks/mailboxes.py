"""The task that fetches emails from the mailbox of RETURNED_EMAIL_IMAP_URL, every minute."""

import structlog
from celery import shared_task
from django.conf import settings

from notifications.delivery.returned_emails import polling
from notifications.delivery.returned_emails.imap import MailboxAway

log = structlog.get_logger()


@shared_task(time_limit=300)
def fetch_emails() -> None:
    """Take in the waiting emails. If the server is away, the task fails, and the next run follows in a minute."""
    if not settings.RETURNED_EMAIL_IMAP_URL:
        return
    try:
        polling.poll()
    except MailboxAway as error:
        log.warning("mailbox.away", error=str(error))
        raise
