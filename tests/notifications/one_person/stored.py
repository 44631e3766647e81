"""A database in which a person is in every place, and everything that it stores, as texts."""

import json
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.utils import timezone

from config import encryption
from config.accounts.saved_search import SavedSearch
from notifications.attachments import log_exports, store
from notifications.models import (
    Attachment,
    BulkRow,
    BulkState,
    CallbackDelivery,
    CallbackKind,
    Channel,
    EarlyReceipt,
    IdempotencyRecord,
    LogExport,
    Notification,
    ReceivedEmail,
    ReceivedText,
    RowState,
    SandboxContent,
    SandboxMessage,
    Service,
    Status,
    SuppressionReason,
    TextPart,
)
from notifications.models.bulk_table import BulkTable, BulkTablePart
from notifications.models.received_email import ReceivedContent
from notifications.recipients import normalise
from tests.factories import (
    make_api_key,
    make_bulk_send,
    make_callback,
    make_guest,
    make_notification,
    make_service,
    make_suppression,
    make_template,
    make_unsubscribe_request,
)

REPLY = "550 5.1.1 <{}>: Recipient address rejected"


def attempt(reply: str, outcome: str = "temporary") -> dict[str, Any]:
    return {"at": None, "provider": "mail", "outcome": outcome, "reply": reply, "ms": 3}


def fill(recipient: str, user: Any, *, service: Service | None = None) -> Service:
    """Store a person in every kind of row of a service, and among the data of others."""
    service = service or make_service()
    channel = Channel.EMAIL if "@" in recipient else Channel.SMS
    template = make_template(service, channel)
    endpoint = make_callback(service)
    sent = make_notification(
        template,
        recipient,
        status=Status.DELIVERED,
        reference=f"case for {recipient}",
        body=f"Dear {recipient}",
        one_click_unsubscribe_url=f"https://x.example/?to={recipient.replace('@', '%40').replace(' ', '%20')}",
        attempts=[attempt(REPLY.format(recipient)), attempt("250 2.0.0 Ok", "accepted")],
        receipts=[{"at": None, "outcome": "delivered", "code": f"to {recipient}"}],
        attempt=2,
    )
    make_notification(template, recipient, scheduled_for=timezone.now() + timedelta(hours=1), reference="R7")
    CallbackDelivery.objects.create(
        endpoint=endpoint, notification=sent, status=Status.DELIVERED, attempts=[attempt(f"no {recipient}")]
    )
    _file(sent)
    bulk_send = make_bulk_send(template, waiting=1, row_count=1)
    row = {"bulk_send": bulk_send, "recipient": recipient, "normalised_recipient": normalise(recipient)}
    BulkRow.objects.create(**row, number=2, state=RowState.WAITING, cells=[recipient, "Ann"], reference=recipient)
    other = {"recipient": "bo@example.org", "normalised_recipient": "bo@example.org", "bulk_send": bulk_send}
    BulkRow.objects.create(**other, number=3, state=RowState.CANCELLED, cells=["bo@example.org", f"ask {recipient}"])
    draft = make_bulk_send(template, state=BulkState.DRAFT)
    table = BulkTable.objects.create(bulk_send=draft, names=["recipient"], sample=[[recipient]], row_count=1)
    BulkTablePart.objects.create(table=table, number=0, data=f"recipient\r\n{recipient}\r\n".encode())
    if channel == Channel.SMS:
        text = ReceivedText.objects.create(
            service=service, notify_number="60006", user_number=normalise(recipient), content=f"I am {recipient}"
        )
        texts = make_callback(service, kind=CallbackKind.RECEIVED_TEXT_MESSAGE)
        CallbackDelivery.objects.create(endpoint=texts, received_text=text)
        part = {"provider": "smsc", "sender": f"+{normalise(recipient)}", "recipient": "60006"}
        TextPart.objects.create(**part, joint=1, total=2, number=1, content="a")
    else:
        make_unsubscribe_request(template, recipient)
    make_suppression(service, recipient, note=f"called: {recipient}")
    make_suppression(service, recipient, SuppressionReason.HARD_BOUNCE, lifted_at=timezone.now())
    make_guest(service, recipient)
    _elsewhere(service, recipient, user, sent)
    return service


def _elsewhere(service: Service, recipient: str, user: Any, sent: Notification) -> None:
    content = SandboxContent(to=recipient, sender="PIGEON", text=f"Dear {recipient}")
    SandboxMessage.objects.store(sent.id, Channel(sent.channel), content)
    SandboxMessage.objects.store(uuid.uuid4(), Channel(sent.channel), content)
    search = SavedSearch(user=user, service_id=service.pk, kind="messages")
    search.set_term(f"to:{recipient}")
    search.save()
    EarlyReceipt.objects.create(provider="mail", notification_id=sent.id, outcome="delivered", code=recipient)
    answer = {"id": str(sent.id), "content": {"body": "Dear Ann", "subject": "For Ann"}, "reference": recipient}
    key = make_api_key(service)
    IdempotencyRecord.objects.create(api_key=key, key="k", fingerprint="f", created_at=timezone.now(), answer=answer)
    for sender in (recipient, "bo@example.org"):
        email = ReceivedEmail(service=service, sender=sender, normalised_sender=normalise(sender))
        email.content_hash = uuid.uuid4().hex
        email.set_content(ReceivedContent(subject="Re", text=f"I am {recipient}", attachments=[f"{recipient}.pdf"]))
        email.save()
        emails = make_callback(service, kind=CallbackKind.EVENTS, events=["received_email"])
        CallbackDelivery.objects.create(
            endpoint=emails, received_email=email, event="received_email", attempts=[attempt(f"no {recipient}")]
        )
    export = LogExport.objects.create(id=uuid.uuid4(), user=user, service=service)
    log_exports.write(export, 1, f"To\r\n{recipient}\r\n", last="")
    make_notification(make_template(service), "bo@example.org", body=f"Ann is at {recipient}", status=Status.DELIVERED)
    make_template(service, samples={"number": recipient})


def _file(sent: Notification) -> None:
    file = Attachment(
        service_id=sent.service_id,
        notification_id=sent.id,
        template=sent.template,
        storage_name=store.new_name(),
        extension="pdf",
        size_bytes=3,
        key_check=b"k",
        email_tag=b"t",
        expires_at=timezone.now() + timedelta(days=7),
    )
    file.set_name(f"{sent.recipient}.pdf")
    store.write(file.storage_name, b"abc")
    file.save()


def every_text() -> Iterator[tuple[str, str]]:
    """Yield every stored value as text, encrypted ones decrypted, with the name of its column."""
    for model in apps.get_models():
        for row in model._default_manager.all():
            for field in model._meta.concrete_fields:
                value = field.value_from_object(row)
                if isinstance(value, (bytes, memoryview)):
                    value = _plain(field, bytes(value))
                elif isinstance(value, (dict, list)):
                    value = json.dumps(value, ensure_ascii=False)
                yield f"{model._meta.label}.{field.name}", str(value)


def _plain(field: Any, value: bytes) -> str:
    if field.name.startswith("encrypted_") and value:
        value = encryption._keys(tuple(_field_keys())).decrypt(value)
    return value.decode(errors="replace")


def _field_keys() -> list[str]:
    from django.conf import settings

    return list(settings.FIELD_KEYS)
