"""Create a finished demo bulk send: yesterday's newsletter to forty readers, of whom three did not get it."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from notifications.delivery.claiming import Attempt
from notifications.management import demo_document
from notifications.models import BulkRow, BulkSend, BulkState, Channel, KeyType, Notification, Service, Status
from notifications.models.bulk_row import RowState
from notifications.models.channel import MessageOrigin

BULK_SEND = uuid.UUID("5f0c1d0e-6f0b-4f5e-9c57-2f1d6f6f0b1e")
READERS = 40

_FAILED = {9: Status.TEMPORARY_FAILURE, 17: Status.PERMANENT_FAILURE, 31: Status.TEMPORARY_FAILURE}
_REPLIES = {Status.TEMPORARY_FAILURE: "452 4.2.2 Mailbox full", Status.PERMANENT_FAILURE: "550 5.1.1 No such mailbox"}


def make_bulk_send(seed: int = 1) -> None:
    """Store the bulk send with its rows and messages, unless it exists. The ids of the messages depend on the seed."""
    if BulkSend.objects.filter(pk=BULK_SEND).exists():
        return
    service = Service.objects.get(id=demo_document.PARKS)
    at = timezone.now().replace(hour=9, minute=30, second=0, microsecond=0) - timedelta(days=1)
    bulk_send = BulkSend.objects.create(
        id=BULK_SEND,
        service=service,
        key_type=KeyType.LIVE,
        origin=MessageOrigin.CONSOLE,
        created_by=settings.PROVISION_AUTHOR,
        name="newsletter-readers.csv",
        channel=Channel.EMAIL,
        template_id=demo_document.NEWSLETTER,
        template_version=1,
        service_name=service.name,
        names=["email address", "month"],
        state=BulkState.FINISHED,
        created_at=at,
        updated_at=at,
        accepted_at=at,
        processing_started=at,
        processing_finished=at + timedelta(seconds=READERS),
        row_count=READERS,
        messages=READERS,
    )
    month = f"{at:%B}"
    rows = BulkRow.objects.bulk_create(_row(bulk_send, number, month) for number in range(2, READERS + 2))
    Notification.objects.bulk_create(_message(bulk_send, row, month, seed) for row in rows)


def _row(bulk_send: BulkSend, number: int, month: str) -> BulkRow:
    email_address = f"reader.{number:02}@example.org"
    return BulkRow(
        bulk_send=bulk_send,
        number=number,
        state=RowState.MESSAGE,
        recipient=email_address,
        normalised_recipient=email_address,
        cells=[email_address, month],
    )


def _message(bulk_send: BulkSend, row: BulkRow, month: str, seed: int) -> Notification:
    at = bulk_send.created_at + timedelta(seconds=row.number)
    status = _FAILED.get(row.number, Status.DELIVERED)
    outcome = "accepted" if status == Status.DELIVERED else str(status).removesuffix("-failure")
    reply = _REPLIES.get(status, "")
    return Notification(
        id=uuid.uuid5(BULK_SEND, f"message {row.number} of seed {seed}"),
        service=bulk_send.service,
        key_type=bulk_send.key_type,
        origin=bulk_send.origin,
        created_by=bulk_send.created_by,
        channel=bulk_send.channel,
        template_id=bulk_send.template_id,
        template_version=bulk_send.template_version,
        bulk_row=row,
        recipient=row.recipient,
        normalised_recipient=row.normalised_recipient,
        subject=f"In the parks this {month}",
        body=demo_document.NEWSLETTER_CONTENT.replace("((month))", month),
        unsubscribe_link=True,
        attempts=[Attempt(at=at.isoformat(), provider="sandbox", outcome=outcome, reply=reply, ms=38)],
        status=status,
        created_at=at,
        due_at=at,
        next_attempt_at=at,
        sent_at=at if status == Status.DELIVERED else None,
        completed_at=at + timedelta(seconds=1),
        provider="sandbox",
    )
