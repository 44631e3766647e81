"""API keys in the console: the list, one key, creating and revoking them."""

from notifications.admin.api_keys import admin
