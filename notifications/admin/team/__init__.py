"""The team of a service in the console: members, roles and invitations."""

from notifications.admin.team import admin
