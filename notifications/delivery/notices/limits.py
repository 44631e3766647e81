"""Emails to the managers of a service about a daily limit that is nearly or wholly used up.

Source: docs/reference/console.md §3.9.
"""

from uuid import uuid5

from django.conf import settings
from django.urls import reverse

from config import formats
from notifications.delivery import own_email, own_people
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.notices.mailing import Notices
from notifications.delivery.own_email import LinkParagraph
from notifications.models import LimitKind, LimitNotice

NAMES = {
    LimitKind.EMAIL: "emails",
    LimitKind.SMS: "text messages",
    LimitKind.INTERNATIONAL_SMS: "international text messages",
}


def _messages(notice: LimitNotice) -> list[OutgoingEmail]:
    service, name = notice.service, NAMES[LimitKind(notice.kind)]
    is_used_up = notice.percent >= 100
    page = settings.BASE_URL + reverse("admin:service_limits", args=[service.pk])
    used = f"{formats.number(notice.count)} of {formats.number(notice.limit)} {name}"
    paragraphs: list[str | LinkParagraph] = [
        f"{service.name} has sent {used} today ({formats.full_day(notice.day)}, UTC).",
        f"Signalbox refuses further {name} until midnight UTC."
        if is_used_up
        else f"When the limit is reached, Signalbox refuses further {name} until midnight UTC.",
        "If the service needs to send more, ask an operator for a higher limit. This page shows all limits:",
        LinkParagraph(page),
    ]
    share = "all" if is_used_up else formats.percent(notice.percent)
    subject = f"{service.name} has used {share} of its daily limit for {name}"
    text = own_email.compose(subject, paragraphs)
    return [own_email.write(text, to=to, identifier=uuid5(notice.id, to)) for to in own_people.managers_of(service)]


NOTICES = Notices(name="limit", model=LimitNotice, messages=_messages)
