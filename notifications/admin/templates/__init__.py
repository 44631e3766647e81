"""Templates in the console: the list, the editor, versions, archiving."""

from notifications.admin.templates import admin
