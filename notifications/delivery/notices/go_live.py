"""Emails about requests to go live: to the operators, and with the answer to the team.

Source: docs/reference/console.md §3.10.
"""

from uuid import uuid5

from django.conf import settings
from django.urls import reverse

from config import formats
from notifications.delivery import own_email, own_people
from notifications.delivery.messages import OutgoingEmail
from notifications.delivery.notices.mailing import Notices
from notifications.models import GoLiveRequest, GoLiveState


def volumes(request: GoLiveRequest) -> str:
    """Return the expected volumes in words."""
    emails = formats.counted(request.emails_per_day, "email")
    return f"{emails} and {formats.counted(request.texts_per_day, 'text message')} per day"


def _messages(request: GoLiveRequest) -> list[OutgoingEmail]:
    service = request.service
    page = settings.BASE_URL + reverse("admin:notifications_goliverequest_change", args=[request.pk])
    match request.state:
        case GoLiveState.WAITING:
            people = own_people.operators()
            subject = f"{service.name} asks to go live"
            paragraphs = [
                f"{request.created_by} asks to make {service.name} live.",
                f"Expected: {volumes(request)}. Purpose: {request.purpose}",
                "Make it live or send the request back on this page:",
            ]
        case GoLiveState.MADE_LIVE:
            people = own_people.managers_of(service)
            subject = f"{service.name} is live"
            paragraphs = [f"{service.name} is live. Its live keys can send to anyone.", "The request:"]
        case GoLiveState.SENT_BACK:
            people = own_people.managers_of(service)
            subject = f"{service.name} is not live yet"
            paragraphs = [
                f"An operator has sent back the request to make {service.name} live:",
                request.answer,
                "You can ask again when this is done. The request:",
            ]
        case _:
            return []
    text = own_email.compose(subject, [*paragraphs, own_email.LinkParagraph(page)])
    return [own_email.write(text, to=to, identifier=uuid5(request.id, f"{request.state} {to}")) for to in people]


NOTICES = Notices(name="go-live", model=GoLiveRequest, messages=_messages, unless_changed=("state",))
