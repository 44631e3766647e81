"""A parsed request for a bulk send. Source: docs/reference/bulk-sending.md §7."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from notifications import errors
from notifications.models import Channel, ReplyToAddress, Service, SmsSender
from notifications.submission import policy, senders, templates
from notifications.submission.callers import Caller
from notifications.submission.requests import GivenId
from notifications.submission.templates import TemplateText, fixed_files


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRequest:
    """A bulk send without its table.

    language: of the text; None for the first language of the template
    reference: of every message whose row has none
    """

    template_id: UUID
    name: str
    language: str | None = None
    scheduled_for: datetime | None = None
    reply_to_id: GivenId | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSender:
    """The sender of a text message or the reply-to address of an email. is_chosen: the API shows its id"""

    sms_sender: SmsSender | None = None
    reply_to: ReplyToAddress | None = None
    is_chosen: bool = False


def check_time(moment: datetime) -> None:
    """Raise BulkScheduledForPast or BulkScheduledForTooFar if a bulk send cannot be scheduled for this time."""
    now, hours = timezone.now(), settings.BULK_SCHEDULE_HOURS
    if moment < now:
        raise errors.BulkScheduledForPast
    if moment > now + timedelta(hours=hours):
        raise errors.BulkScheduledForTooFar(hours=hours)


def find_template(caller: Caller, template_id: UUID, language: str | None = None) -> TemplateText:
    """Return the template in a language.

    Raises TemplateNotFound, TemplateArchived, KeyTemplateNotAllowed, TemplateHasFiles and the errors of
    `policy.check_channel`.
    """
    template = templates.for_bulk_sending(caller.service_id, template_id, language=language)
    policy.check_template(caller, template_id)
    policy.check_channel(caller.service, template.type)
    fixed_files.check_none(template)
    return template


def find_sender(service: Service, channel: Channel, chosen: GivenId | None) -> ChosenSender:
    """Return the chosen sender, else the default. Raises SmsSenderNotFound, ReplyToNotFound."""
    if channel is Channel.SMS:
        return ChosenSender(sms_sender=senders.sms_sender(service, chosen), is_chosen=True)
    return ChosenSender(reply_to=senders.reply_to(service, chosen), is_chosen=chosen is not None)
