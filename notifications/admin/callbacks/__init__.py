"""Callbacks in the console: the endpoints of a service, and what was posted to them. Source: Staff console §3.8."""

from notifications.admin.callbacks import endpoints, log

__all__ = ["endpoints", "log"]
