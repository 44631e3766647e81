"""Files sent by email in the console."""

from notifications.admin.attachments import admin
