"""The guest list of a service in the console."""

from notifications.admin.guest_list import admin
