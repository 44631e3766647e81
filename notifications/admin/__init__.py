"""The sending area's pages of the console."""

from notifications.admin import (
    api_keys,
    attachments,
    audit_places,
    callbacks,
    guest_list,
    invite_mail,
    memberships,
    overview,
    protected_names,
    senders,
    services,
    team,
    templates,
    unsubscribe_requests,
)
from notifications.admin.messages import log

__all__ = [
    "api_keys",
    "attachments",
    "audit_places",
    "callbacks",
    "guest_list",
    "invite_mail",
    "log",
    "memberships",
    "overview",
    "protected_names",
    "senders",
    "services",
    "team",
    "templates",
    "unsubscribe_requests",
]
