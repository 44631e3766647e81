"""The check of the mailbox for `manage.py doctor` and the deep check. Source: docs/reference/inbox.md §5."""

from django.conf import settings

from config.areas import Finding
from notifications.delivery.returned_emails.imap import Mailbox, MailboxAway

_TIMEOUT_SECONDS = 3.0


def opens() -> Finding:
    """Sign in to the mailbox and open its folder."""
    if not settings.RETURNED_EMAIL_IMAP_URL:
        return Finding(name="mailbox", seen="none: RETURNED_EMAIL_IMAP_URL is not set")
    mailbox = Mailbox.parse(settings.RETURNED_EMAIL_IMAP_URL)
    try:
        mailbox.check(timeout_seconds=_TIMEOUT_SECONDS)
    except MailboxAway as error:
        fix = "Start the server, or correct RETURNED_EMAIL_IMAP_URL: until then emails wait in the mailbox."
        return Finding(name="mailbox", seen=f"{mailbox.title}: {error}", fix=fix)
    return Finding(name="mailbox", seen=mailbox.title)
