"""The CSV file of received texts."""

from collections.abc import Iterable
from typing import Any

from config.audit.masking import mask
from notifications.admin.list_download import ListDownload, moment


def _cells(row: Any) -> Iterable[str]:  # Any: a named tuple of the columns
    return (
        moment(row.created_at),
        row.user_number if row.is_shown_whole else mask(row.user_number),
        row.notify_number,
        row.content,
        row.service__name,
        str(row.id),
    )


DOWNLOAD = ListDownload(
    noun="received text",
    audit_verb="downloaded_received_texts",
    header=("Received at (UTC)", "From", "To", "Text", "Service", "Id"),
    columns=("created_at", "user_number", "is_shown_whole", "notify_number", "content", "service__name", "id"),
    cells=_cells,
)
