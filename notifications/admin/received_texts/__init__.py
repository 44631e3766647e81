"""Received texts in the console: the list of conversations, one conversation, and the CSV file."""

from notifications.admin.received_texts import admin
