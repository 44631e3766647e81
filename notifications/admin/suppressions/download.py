"""The CSV file of suppressions."""

from collections.abc import Iterable
from typing import Any

from config.audit.masking import mask
from notifications.admin.list_download import ListDownload, moment
from notifications.admin.suppressions.forms import WHOLE_INSTALLATION


def _cells(row: Any) -> Iterable[str]:  # Any: a named tuple of the columns
    return (
        row.recipient if row.is_shown_whole else mask(row.recipient),
        row.channel,
        row.reason,
        row.source,
        row.note,
        str(row.notification_id or ""),
        row.service__name or WHOLE_INSTALLATION,
        moment(row.created_at),
        row.created_by,
        moment(row.expires_at),
        moment(row.lifted_at),
        row.lifted_by,
        row.lift_reason,
    )


DOWNLOAD = ListDownload(
    noun="suppression",
    audit_verb="downloaded_suppressions",
    header=(
        *("Recipient", "Channel", "Suppressed because", "Source", "Reason", "Message id", "Service"),
        *("Since (UTC)", "Added by", "Until (UTC)", "Lifted at (UTC)", "Lifted by", "Why lifted"),
    ),
    columns=(
        *("recipient", "is_shown_whole", "channel", "reason", "source", "note", "notification_id", "service__name"),
        *("created_at", "created_by", "expires_at", "lifted_at", "lifted_by", "lift_reason"),
    ),
    cells=_cells,
)
