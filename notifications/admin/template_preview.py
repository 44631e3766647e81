"""The preview beside the editor, made by the very functions that send. Source: Staff console §2.4."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import QueryDict

from notifications.admin.template_forms import faults, warnings
from notifications.models import Channel, Service, SmsSender, Template
from notifications.rendering import email, placeholders, preview, sms
from notifications.submission import senders

SAMPLE = "sample-"  # what a field for a placeholder's sample value is called, before the placeholder's name
_MOST_BYTES = email.MAX_BYTES


def context(typed: QueryDict, template: Template | None) -> dict[str, Any]:
    """Return what the preview shows of what is typed; faults are text in the pane, never an error page."""
    channel = _channel(typed, template)
    subject, content = typed.get("subject", ""), typed.get("content", "").replace("\r\n", "\n")
    names = placeholders.find(subject, content) if channel is Channel.EMAIL else placeholders.find(content)
    samples = {name: typed.get(f"{SAMPLE}{name}", "") for name in names}
    shown: dict[str, Any] = {
        "channel": channel.value,
        "samples": [{"name": name, "field": f"{SAMPLE}{name}", "value": value} for name, value in samples.items()],
        "faults": [fault for _, fault in faults(channel, subject or "–", content)],
        "warnings": warnings(content),
        "is_empty": not content.strip(),
    }
    if shown["is_empty"] or len(content.encode()) > _MOST_BYTES:
        return shown
    values = {name: _value(text) for name, text in samples.items() if text}
    service = template.service if template else _service(typed.get("service", ""))
    if channel is Channel.EMAIL:
        return {**shown, **_email(subject, content, values, service, has_footer="unsubscribe_link" in typed)}
    return {**shown, **_sms(content, values, service)}


def _email(
    subject: str, content: str, values: dict[str, object], service: Service | None, *, has_footer: bool
) -> dict[str, Any]:
    footer = f"{settings.BASE_URL}/unsubscribe/preview" if has_footer else None
    text = email.render(subject, content, values, unsubscribe_url=footer)
    return {
        "subject": text.subject,
        "sender": senders.from_email(service) if service else "",
        "document": preview.sandboxed(email.html_document(text)),
        "plain": text.plain,
    }


def _sms(content: str, values: dict[str, object], service: Service | None) -> dict[str, Any]:
    prefix = service.name if service and service.prefix_sms else None
    text = sms.render(content, values, prefix=prefix)
    sender = SmsSender.objects.filter(service=service, is_default=True, archived_at=None).first() if service else None
    return {
        "bubble": sms.preview_html(text),
        "sender": sender.sender if sender else settings.DEFAULT_SMS_SENDER,
        "facts": preview.facts(text),
        "costly": preview.costly(text),
    }


def _channel(typed: QueryDict, template: Template | None) -> Channel:
    word = template.type if template else typed.get("type", "")
    return Channel(word) if word in Channel.values else Channel.EMAIL


def _service(identifier: str) -> Service | None:
    try:
        return Service.objects.filter(pk=UUID(identifier)).first()
    except ValueError:
        return None


def _value(text: str) -> object:
    """Several lines are a list, as a caller would send it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines if len(lines) > 1 else text
