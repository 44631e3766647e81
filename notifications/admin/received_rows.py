"""The base class of the admins of received emails and texts. Source: docs/reference/inbox.md §1."""

from config.console import cells
from config.console.admin.columns import column
from notifications.admin import permissions
from notifications.admin.list_download import RetainedRowAdmin
from notifications.admin.recipient_search import RecipientSearchAdmin


class ReceivedRowAdmin(RecipientSearchAdmin, RetainedRowAdmin):
    """Rows that people have sent to a service. They are read-only."""

    may_add = may_change = False
    is_reading_logged = True
    list_display = ("got", "from_whom", "said", "state")
    date_hierarchy = "created_at"
    got = column("Received", lambda row: permissions.titled(row, cells.date_above_time(row.created_at)))
