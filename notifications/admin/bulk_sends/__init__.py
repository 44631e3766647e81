"""Bulk sends in the console: upload a table, match its columns, check it, send it, and follow it.

Source: docs/reference/console.md §3.4.
"""

from notifications.admin.bulk_sends import admin

__all__ = ["admin"]
