"""Store received emails for the service to whose reply-to address they were sent.

Source: docs/reference/inbox.md §4.
"""

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from config import mailboxes
from config.host_names import ascii_host
from notifications.delivery.returned_emails.reading.replies import Reply
from notifications.models import CallbackDelivery, Notification, ReceivedContent, ReceivedEmail, ReplyToAddress
from notifications.recipients import normalise


def store(reply: Reply) -> bool:
    """Store an email and its callbacks, once. Return False if no service has its recipient as a reply-to address."""
    addresses = _own_addresses(reply.recipients)
    if not addresses:
        return False
    message = _answered(reply, addresses)
    address = next((one for one in addresses if message and one.service_id == message.service_id), addresses[0])
    row = ReceivedEmail(
        service=address.service,
        reply_to=address,
        notification_id=message.pk if message and message.service_id == address.service_id else None,
        sender=reply.sender,
        normalised_sender=normalise(reply.sender),
        content_hash=reply.content_hash,
        is_automatic=reply.is_automatic,
    )
    row.set_content(
        ReceivedContent(
            subject=reply.subject,
            text=reply.text,
            attachments=list(reply.attachments),
            is_shortened=reply.is_shortened,
        )
    )
    with transaction.atomic():
        ReceivedEmail.objects.bulk_create([row], ignore_conflicts=True)
        if ReceivedEmail.objects.filter(pk=row.pk).exists():  # else it arrived before
            CallbackDelivery.objects.owe_email(row)
    return True


def _own_addresses(recipients: Iterable[str]) -> list[ReplyToAddress]:
    """Return the reply-to addresses of this installation's domain among these, the one used longest first."""
    domain = ascii_host(settings.EMAIL_DOMAIN)
    own = {recipient for recipient in recipients if recipient.rpartition("@")[2] == domain}
    wanted = Q(pk__in=[])
    for recipient in own:
        wanted |= Q(email_address__istartswith=f"{recipient.rpartition('@')[0]}@")
    rows = ReplyToAddress.objects.filter(wanted, archived_at=None, service__active=True).select_related("service")
    return [row for row in rows.order_by("created_at", "id") if mailboxes.key_of(row.email_address) in own]


def _answered(reply: Reply, addresses: Iterable[ReplyToAddress]) -> Notification | None:
    """Return the nearest message of these services that the email answers, or None."""
    services = {address.service_id for address in addresses}
    rows = Notification.objects.filter(pk__in=reply.answered, service__in=services)
    found = {row.pk: row for row in rows.only("pk", "service_id")}
    return next((found[pk] for pk in reply.answered if pk in found), None)
