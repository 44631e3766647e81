"""Unsubscribe requests in the console: the list, one request, marking them as done, and the CSV file."""

from notifications.admin.unsubscribe_requests import listed
