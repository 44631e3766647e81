"""Create rows for tests, with defaults, so that a test names only the values that matter."""

import uuid
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from notifications.models import (
    ApiKey,
    BulkSend,
    BulkState,
    CallbackEndpoint,
    CallbackKind,
    Channel,
    GuestListEntry,
    KeyType,
    Notification,
    ReceivedContent,
    ReceivedEmail,
    ReceivedText,
    RecipientKind,
    ReplyToAddress,
    Service,
    SmsSender,
    Suppression,
    SuppressionReason,
    SuppressionSource,
    TeamMember,
    Template,
    TemplateVersion,
    UnsubscribeRequest,
    VersionState,
)
from notifications.recipients import normalise


def make_service(**fields: Any) -> Service:
    """Return a live service with default values, without senders, keys and templates."""
    values: dict[str, Any] = {
        "name": f"Service {uuid.uuid4().hex[:8]}",
        "live": True,
        "daily_limit_sms": 250_000,
        "daily_limit_email": 250_000,
        "daily_limit_international_sms": 100,
    }
    return Service.objects.create(**values | fields)


def make_api_key(service: Service | None = None, key_type: KeyType = KeyType.LIVE, **fields: Any) -> ApiKey:
    """Return a key. `key.secret` signs its tokens."""
    secret = fields.pop("secret", str(uuid.uuid4()))
    values: dict[str, Any] = {"name": f"{key_type.value}-{uuid.uuid4().hex[:8]}", "key_type": key_type}
    key = ApiKey(service=service or make_service(), **values | fields)
    key.set_secret(secret)
    key.save()
    return key


def make_template(
    service: Service | None = None,
    channel: Channel = Channel.EMAIL,
    content: str = "Dear ((name))",
    subject: str | None = None,
    **fields: Any,
) -> Template:
    """Return a template with its first version. The default subject of an email is `Hello`."""
    if channel == Channel.EMAIL and subject is None:
        subject = "Hello"
    unsubscribe_link = fields.pop("unsubscribe_link", False)
    values: dict[str, Any] = {"name": f"Template {uuid.uuid4().hex[:8]}", "type": channel}
    template = Template.objects.create(service=service or make_service(), **values | fields)
    TemplateVersion.objects.create(
        template=template,
        number=1,
        name=template.name,
        subject=subject,
        content=content,
        unsubscribe_link=unsubscribe_link,
    )
    return template


def make_draft(
    template: Template, content: str = "Dear ((name)), bring ((item))", state: VersionState = VersionState.DRAFT
) -> TemplateVersion:
    """Return a version that is not published."""
    words = template.published().words()
    draft = template.save_draft({**words, "content": content}, note="", author="bo@example.org")
    draft.change_state(state)
    return draft


def make_sms_sender(service: Service, sender: str = "PIGEON", *, is_default: bool = True, **fields: Any) -> SmsSender:
    return SmsSender.objects.create(service=service, sender=sender, is_default=is_default, **fields)


def make_reply_to(
    service: Service, email_address: str = "reply@example.com", *, is_default: bool = True, **fields: Any
) -> ReplyToAddress:
    return ReplyToAddress.objects.create(service=service, email_address=email_address, is_default=is_default, **fields)


def make_team_member(service: Service, email_address: str = "team@example.com", phone_number: str = "") -> TeamMember:
    return TeamMember.objects.create(
        service=service,
        email_address=email_address,
        phone_number=phone_number,
        normalised_email=normalise(email_address),
        normalised_phone=normalise(phone_number) if phone_number else "",
    )


def make_guest(service: Service, value: str = "guest@example.com") -> GuestListEntry:
    kind = RecipientKind.EMAIL if "@" in value else RecipientKind.PHONE
    return GuestListEntry.objects.create(service=service, kind=kind, value=value, normalised=normalise(value))


def make_notification(template: Template | None = None, recipient: str | None = None, **fields: Any) -> Notification:
    """Return an accepted message that is due: an email to ana@example.com, or a text to 07700 900123."""
    template = template or make_template()
    is_email = template.type == Channel.EMAIL
    recipient = recipient or ("ana@example.com" if is_email else "07700 900123")
    values: dict[str, Any] = {
        "service": template.service,
        "key_type": KeyType.LIVE,
        "channel": template.type,
        "template_version": template.current_version,
        "recipient": recipient,
        "normalised_recipient": normalise(recipient),
        "subject": "Hello" if is_email else None,
        "body": "Dear Ana",
        "parts": 0 if is_email else 1,
        "rate_multiplier": 0 if is_email else 1,
    }
    return Notification.objects.create(template=template, **values | fields)


def repeat_notification(first: Notification, count: int) -> None:
    """Store `count` copies of a message with new ids, in one statement: 10,000 objects take 5 s of CPU time."""
    new_id = "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"
    table = connection.ops.quote_name(Notification._meta.db_table)
    key, *others = (connection.ops.quote_name(str(field.column)) for field in Notification._meta.concrete_fields)
    columns = ", ".join(others)
    numbers = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s)"
    copies = f"SELECT {new_id}, {columns} FROM {table}, numbers WHERE {key} = %s"  # noqa: S608  no caller's texts
    with connection.cursor() as cursor:
        own_id = Notification._meta.pk.get_db_prep_value(first.pk, connection)
        cursor.execute(f"{numbers} INSERT INTO {table} ({key}, {columns}) {copies}", [count, own_id])


def make_bulk_send(template: Template | None = None, **fields: Any) -> BulkSend:
    """Return a bulk send without rows that waits for its first step."""
    template = template or make_template()
    values: dict[str, Any] = {
        "service": template.service,
        "key_type": KeyType.LIVE,
        "name": "Spring letter",
        "channel": template.type,
        "template_version": template.current_version,
        "service_name": template.service.name,
        "state": BulkState.PENDING,
        "names": ["email address", "name"],
    }
    return BulkSend.objects.create(template=template, **values | fields)


def make_callback(
    service: Service | None = None,
    url: str = "https://hooks.example.org/status",
    kind: CallbackKind = CallbackKind.DELIVERY_STATUS,
    signing_secret: str | None = None,
    **fields: Any,
) -> CallbackEndpoint:
    """Return an endpoint for final statuses. Its bearer token is `token-0123456789`."""
    endpoint = CallbackEndpoint(service=service or make_service(), url=url, kind=kind, **fields)
    endpoint.encrypted_bearer_token = endpoint.encrypt("bearer_token", "token-0123456789")
    if signing_secret:
        endpoint.encrypted_signing_secret = endpoint.encrypt("signing_secret", signing_secret)
    endpoint.save()
    return endpoint


def make_unsubscribe_request(
    template: Template | None = None, recipient: str = "ana@example.com", **fields: Any
) -> UnsubscribeRequest:
    """Return an open request whose email was sent a week ago and whose message is deleted."""
    template = template or make_template(unsubscribe_link=True)
    values: dict[str, Any] = {
        "notification_id": uuid.uuid4(),
        "email_created_at": timezone.now() - timedelta(days=7),
        "recipient": recipient,
    }
    return UnsubscribeRequest.objects.create(template=template, service=template.service, **values | fields)


def make_suppression(
    service: Service | None, recipient: str = "ana@example.com", reason: SuppressionReason | None = None, **fields: Any
) -> Suppression:
    """Return an active suppression, by default by hand. service: None for the whole installation"""
    reason = reason or SuppressionReason.MANUAL
    values: dict[str, Any] = {
        "channel": Channel.EMAIL if "@" in recipient else Channel.SMS,
        "recipient": recipient,
        "normalised_recipient": normalise(recipient),
        "reason": reason,
        "source": SuppressionSource.CONSOLE if reason == SuppressionReason.MANUAL else SuppressionSource.PROVIDER,
    }
    return Suppression.objects.create(service=service, **values | fields)


def make_received_text(
    service: Service, content: str = "When is high water?", user_number: str = "447700900123", **fields: Any
) -> ReceivedText:
    values: dict[str, Any] = {"notify_number": "447700900777", "user_number": user_number, "content": content}
    return ReceivedText.objects.create(service=service, **values | fields)


def make_received_email(
    service: Service, text: str = "When is high water?", sender: str = "ana@example.com", **fields: Any
) -> ReceivedEmail:
    """Return an email to a reply-to address. subject, attachments: of its content"""
    subject, attachments = fields.pop("subject", "Re: Tide table"), fields.pop("attachments", [])
    values: dict[str, Any] = {"normalised_sender": normalise(sender), "content_hash": uuid.uuid4().hex}
    row = ReceivedEmail(service=service, sender=sender, **values | fields)
    row.set_content(ReceivedContent(subject=subject, text=text, attachments=attachments))
    row.save()
    return row
