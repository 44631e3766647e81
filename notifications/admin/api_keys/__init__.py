"""API keys in the console: the list, one key, making and revoking them."""

from notifications.admin.api_keys import admin

__all__ = ["admin"]
