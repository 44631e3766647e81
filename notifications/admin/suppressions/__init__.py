"""Suppressions in the console: the list, one suppression, adding, importing, lifting and the CSV file."""

from notifications.admin.suppressions import admin
