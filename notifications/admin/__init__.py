"""The sending area's pages of the console."""

from notifications.admin import api_keys, attachments, notifications, overview, people, senders, services, templates

__all__ = ["api_keys", "attachments", "notifications", "overview", "people", "senders", "services", "templates"]
