"""The email with the link that confirms a reply-to address. Source: docs/reference/console.md §3.11."""

from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from notifications.delivery import own_email, reply_to_checks
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.notices.mailing import Notices
from notifications.delivery.own_email import LinkParagraph
from notifications.models import ReplyToAddress
from notifications.recipients import email as email_addresses
from notifications.recipients.email import InvalidEmailAddress


def _messages(row: ReplyToAddress) -> list[OutgoingEmail]:
    if row.confirmation_id is None or row.archived_at is not None:
        return []
    try:
        to = email_addresses.parse(row.email_address).ascii
    except InvalidEmailAddress:
        return []
    page = reverse("confirm-reply-to")
    paragraphs: list[str | LinkParagraph] = [
        f"{row.service.name} wants to send emails whose replies go to this email address.",
        "If your team reads the emails that arrive here, open this link and confirm it:",
        LinkParagraph(f"{settings.BASE_URL}{page}?{urlencode({'token': reply_to_checks.token_of(row)})}"),
        f"It works once, within {reply_to_checks.VALID_FOR.days} days.",
        "If you do not know this service, ignore this email.",
    ]
    text = own_email.compose(f"Confirm the reply-to address of {row.service.name}", paragraphs)
    return [own_email.write(text, to=to, identifier=row.confirmation_id)]


def _refused(row: ReplyToAddress) -> None:
    if row.confirmation_id is not None:
        reply_to_checks.note_bounce(row.confirmation_id)


NOTICES = Notices(
    name="reply-to",
    model=ReplyToAddress,
    messages=_messages,
    refused=_refused,
    unless_changed=("confirmation_id",),
)
