"""Emails to team members with an email that somebody sent to the service. Source: docs/reference/inbox.md §4."""

from html import escape

import structlog
from django.conf import settings
from django.db.models.functions import Now

from config.encryption import DecryptionFailed
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.notices.mailing import Notices
from notifications.models import EmailForward, ReceivedContent
from notifications.recipients import email as email_addresses
from notifications.recipients.email import InvalidEmailAddress

_DOCUMENT = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{subject}</title></head>'
    '<body style="font: 16px/1.4 Helvetica, Arial, sans-serif; color: #0b0c0c">{body}</body></html>'
)
_PRE = '<pre style="font-family: inherit; white-space: pre-wrap; overflow-wrap: anywhere">{text}</pre>'

log = structlog.get_logger()


def _messages(forward: EmailForward) -> list[OutgoingEmail]:
    """Return the email. Replies go to the sender of the forwarded one."""
    try:
        content = forward.email.content
        to = email_addresses.parse(forward.member.email_address).ascii
    except (DecryptionFailed, InvalidEmailAddress) as error:
        log.error("forward.not_mailable", forward=str(forward.pk), error=type(error).__name__)
        return []
    subject = f"Fwd: {content.subject}"
    about, text = _about(forward, content), content.text
    body = f"{_PRE.format(text=escape(about))}<hr>{_PRE.format(text=escape(text))}"
    return [
        OutgoingEmail(
            from_name="Signalbox",
            from_address=f"signalbox@{settings.EMAIL_DOMAIN}",
            to=to,
            subject=subject,
            text=f"{about}\n\n---\n\n{text}",
            html=_DOCUMENT.format(subject=escape(subject), body=body),
            message_id=f"<{forward.pk}@{settings.EMAIL_DOMAIN}>",
            reply_to=_reply_to(forward.email.sender),
            headers={"Auto-Submitted": "auto-generated"},
        )
    ]


def _about(forward: EmailForward, content: ReceivedContent) -> str:
    lines = [
        f"{forward.created_by} forwards an email that {forward.email.service.name} received.",
        f"From: {forward.email.sender}",
        f"Subject: {content.subject}",
    ]
    if content.attachments:
        lines.append(f"Files that Signalbox did not store: {', '.join(content.attachments)}")
    if content.is_shortened:
        lines.append("The email was longer. The rest is not stored.")
    return "\n".join(lines)


def _reply_to(sender: str) -> str | None:
    try:
        return email_addresses.parse(sender).ascii
    except InvalidEmailAddress:
        return None


def _refused(forward: EmailForward) -> None:
    EmailForward.objects.filter(pk=forward.pk).update(refused_at=Now())


NOTICES = Notices(name="forward", model=EmailForward, messages=_messages, refused=_refused)
