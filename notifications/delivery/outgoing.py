"""Build the message for a provider from a stored row.

Source: docs/reference/sending-api.md §19.2; docs/reference/rendering.md §1, §4.7 to §4.9.
"""

from django.conf import settings

from notifications.delivery import unsubscribe_links
from notifications.delivery.claiming import Claim
from notifications.delivery.messages import Outgoing, OutgoingEmail, OutgoingSms
from notifications.models import Channel
from notifications.recipients import email as email_addresses
from notifications.recipients import senders
from notifications.rendering.document import html_document
from notifications.rendering.email import EmailText
from notifications.validation.languages import DEFAULT_LANGUAGE


def message_for(claim: Claim) -> Outgoing:
    """Return the message. The same row always gives the same message, with the same Message-ID or reference."""
    return _email(claim) if claim.notification.channel == Channel.EMAIL else _sms(claim)


def _sms(claim: Claim) -> OutgoingSms:
    notification = claim.notification
    return OutgoingSms(
        to=notification.normalised_recipient,
        content=notification.body,
        sender=senders.from_number(claim.sender or settings.DEFAULT_SMS_SENDER),
        reference=str(notification.id),
        international=notification.is_international,
    )


def _email(claim: Claim) -> OutgoingEmail:
    notification = claim.notification
    has_files = notification.encrypted_outgoing is not None
    subject, body = notification.outgoing if has_files else (notification.subject or "", notification.body)
    own_link = unsubscribe_links.url(notification) if notification.unsubscribe_link else None
    text = EmailText(
        subject=subject,
        filled=body,
        language=notification.language or DEFAULT_LANGUAGE,
        unsubscribe_url=own_link,
        unlinked_names=tuple(settings.EMAIL_UNLINKED_NAMES),
    )
    return OutgoingEmail(
        from_name=" ".join(claim.service_name.split()),
        from_address=senders.from_email(claim.service_name, settings.EMAIL_DOMAIN),
        to=email_addresses.parse(notification.recipient).ascii,
        subject=text.subject,
        text=text.plain,
        html=html_document(text),
        message_id=f"<{notification.id}@{settings.EMAIL_DOMAIN}>",
        reply_to=email_addresses.parse(claim.reply_to_address).ascii if claim.reply_to_address else None,
        envelope_sender=settings.BOUNCE_EMAIL_ADDRESS or None,
        headers=_unsubscribe_headers(notification.one_click_unsubscribe_url or own_link),
    )


def _unsubscribe_headers(url: str | None) -> dict[str, str]:
    """Return the headers for the unsubscribe button of mail programs. Source: RFC 8058 §3.1."""
    if url is None:
        return {}
    return {"List-Unsubscribe": f"<{url}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
