"""The first messages of a checked table, from the functions that render them for sending."""

from typing import Any

from notifications.admin import permissions
from notifications.admin.bulk_sends import drafts
from notifications.admin.bulk_sends.checking import Draft
from notifications.admin.messages import page
from notifications.bulk_tables.rows import values_of
from notifications.models import BulkRow, Channel, Notification, RowState
from notifications.rendering import email, placeholders, sms
from notifications.submission import senders

ROWS = 5

_GOOD = (RowState.WAITING, RowState.SIMULATED)


def messages(draft: Draft, *, sees_recipients: bool) -> list[tuple[int, str, dict[str, Any]]]:
    """Return the first ROWS rows without errors: number, recipient as shown, and context of `message_shown.html`."""
    rows = BulkRow.objects.filter(bulk_send=draft.table.pk, state__in=_GOOD).order_by("number")[:ROWS]
    return [
        (row.number, permissions.shown(row.recipient, is_shown_whole=sees_recipients), _context(draft, row))
        for row in rows
    ]


def _context(draft: Draft, row: BulkRow) -> dict[str, Any]:
    """Return a message. If its template redacts personalisation, the values are left out."""
    bulk_send, text = draft.table.bulk_send, drafts.text_of(draft.table)
    if bulk_send.template.redact_personalisation:
        parts = [text.content] if text.type is Channel.SMS else [text.subject, text.content]
        return {"unfilled": [list(placeholders.pieces(part, {}, redact=True)) for part in parts]}
    values = values_of(row.cells, draft.columns, draft.rules.defaults)
    message = Notification(service=bulk_send.service, channel=bulk_send.channel, language=text.language)
    if bulk_send.channel == Channel.SMS:
        prefix = bulk_send.service.name if bulk_send.service.prefix_sms else None
        message.body = sms.render(text.content, values, prefix=prefix, language=text.language).text
        message.sms_sender = senders.sms_sender(bulk_send.service, None)
    else:
        rendered = email.render(text.subject, text.content, values, language=text.language)
        message.subject, message.body = rendered.subject, rendered.filled
        message.unsubscribe_link = text.unsubscribe_link
    return page.shown(message)
