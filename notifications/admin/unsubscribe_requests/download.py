"""The CSV file of unsubscribe requests."""

from collections.abc import Iterable
from typing import Any

from config.audit.masking import mask
from notifications.admin.list_download import ListDownload, moment


def _cells(row: Any) -> Iterable[str]:  # Any: a named tuple of the columns
    return (
        moment(row.created_at),
        row.recipient if row.is_shown_whole else mask(row.recipient),
        row.service__name,
        row.template__name,
        str(row.template_id),
        moment(row.email_created_at),
        str(row.notification_id),
        moment(row.done_at),
        row.done_by,
    )


DOWNLOAD = ListDownload(
    noun="unsubscribe request",
    audit_verb="downloaded_unsubscribe_requests",
    header=(
        *("Requested at (UTC)", "Email address", "Service", "Template", "Template id", "Email sent at (UTC)"),
        *("Message id", "Done at (UTC)", "Done by"),
    ),
    columns=(
        *("created_at", "recipient", "is_shown_whole", "service__name", "template__name", "template_id"),
        *("email_created_at", "notification_id", "done_at", "done_by"),
    ),
    cells=_cells,
)
