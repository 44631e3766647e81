"""Received emails in the console: the list, one email, and forwarding it to a team member."""

from notifications.admin.received_emails import admin
