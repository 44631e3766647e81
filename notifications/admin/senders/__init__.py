"""Senders of text messages and reply-to addresses in the console."""

from notifications.admin.senders import admin
