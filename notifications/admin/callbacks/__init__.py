"""Callbacks in the console: the endpoints of a service, and the log of deliveries to them.

Source: docs/reference/console.md §3.8.
"""

from notifications.admin.callbacks import endpoints, log
