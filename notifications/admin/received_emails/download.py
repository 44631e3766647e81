"""The CSV file of received emails. Each text is as on the page: decrypted, and without quoted redacted values."""

from collections.abc import Iterable
from typing import Any

from config.audit.masking import mask
from notifications.admin.list_download import ListDownload, moment
from notifications.admin.received_emails import page
from notifications.models import ReceivedEmail


def _cells(row: Any) -> Iterable[str]:  # Any: a named tuple of the columns
    stored = ReceivedEmail(id=row.id, notification_id=row.notification_id, encrypted_content=row.encrypted_content)
    content = page.content(stored)
    return (
        moment(row.created_at),
        row.sender if row.is_shown_whole else mask(row.sender),
        row.reply_to__email_address or "",
        content.subject,
        content.text,
        ", ".join(content.attachments),
        "program" if row.is_automatic else "person",
        str(row.notification_id or ""),
        row.service__name,
        str(row.id),
    )


DOWNLOAD = ListDownload(
    noun="received email",
    audit_verb="downloaded_received_emails",
    header=(
        *("Received at (UTC)", "From", "To", "Subject", "Text", "Files", "Written by", "Answers message"),
        *("Service", "Id"),
    ),
    columns=(
        *("created_at", "sender", "is_shown_whole", "reply_to__email_address", "encrypted_content", "is_automatic"),
        *("notification_id", "service__name", "id"),
    ),
    cells=_cells,
)
