"""Requests to go live: asking, and the queue of the operators. Source: docs/reference/console.md §3.10."""

from notifications.admin.go_live import admin
