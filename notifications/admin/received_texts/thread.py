"""One conversation: the texts of one sender to a service, and the texts of the service to this number, by time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from config.reading import read_moment
from notifications.admin.messages import status_titles
from notifications.models import Channel, KeyType, Notification, ReceivedText
from notifications.recipients import phone
from notifications.rendering import sms
from notifications.submission.templates import redaction

MOST_SHOWN = 100
BEFORE = "before"  # the parameter of the URL: the time of the oldest text on the page of later texts


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadText:
    """A text of the conversation. status, url: of a text of the service"""

    at: datetime
    text: SafeString | str
    is_received: bool
    about: str
    status: str = ""
    url: str = ""


def of(text: ReceivedText, *, before: str = "") -> tuple[list[ThreadText], str]:
    """Return a page of the conversation to which a received text belongs, oldest entry first.

    The second value is that of BEFORE for the page of earlier texts, or "". Tests are left out: nobody got them.
    """
    end = read_moment(before)
    received = ReceivedText.objects.filter(
        service=text.service, user_number=text.user_number, created_at__gte=text.service.kept_since()
    )
    sent = Notification.objects.filter(
        service=text.service,
        channel=Channel.SMS,
        normalised_recipient=text.user_number,
        created_at__gte=text.service.kept_since(),
    ).exclude(key_type=KeyType.TEST)
    if end is not None:
        received, sent = received.filter(created_at__lt=end), sent.filter(created_at__lt=end)
    found = [*_received(received.order_by("-created_at", "-id")), *_sent(sent.order_by("-created_at", "-id"))]
    found.sort(key=lambda entry: (entry.at, not entry.is_received))
    shown = found[-MOST_SHOWN:]
    return shown, shown[0].at.isoformat() if len(found) > len(shown) else ""


def _received(rows: QuerySet[ReceivedText]) -> Iterator[ThreadText]:
    for row in rows[: MOST_SHOWN + 1]:
        yield ThreadText(
            at=row.created_at, text=row.content, is_received=True, about=f"To {phone.displayed(row.notify_number)}"
        )


def _sent(rows: QuerySet[Notification]) -> Iterator[ThreadText]:
    messages = list(rows.select_related("template")[: MOST_SHOWN + 1])
    for message, shown in zip(messages, redaction.texts(messages), strict=True):
        yield ThreadText(
            at=message.created_at,
            text=mark_safe(sms.preview_html(sms.SmsText(shown.body))),  # noqa: S308  it escapes the text
            is_received=False,
            about=f"{message.template.name}, version {message.template_version}",
            status=status_titles.of(message),
            url=reverse("admin:notifications_notification_change", args=[message.pk]),
        )
