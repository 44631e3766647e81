"""Services in the console: the list, a service's page, its state."""

from notifications.admin.services import admin
