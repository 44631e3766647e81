"""The console pages of the sending area."""

from notifications.admin import (
    api_keys,
    attachments,
    bulk_sends,
    callbacks,
    go_live,
    guest_list,
    messages,
    overview,
    protected_names,
    received_emails,
    received_texts,
    senders,
    services,
    suppressions,
    team,
    templates,
    unsubscribe_requests,
)
