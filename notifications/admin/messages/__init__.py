"""Messages in the console: their log, one of them, and sending one by hand."""

from notifications.admin.messages import log
