"""The checklist before a service goes live. Source: docs/reference/console.md §3.10."""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Model

from config import formats
from notifications.delivery import own_email
from notifications.models import (
    Attachment,
    Channel,
    HourlyCount,
    KeyType,
    Notification,
    Permission,
    ReplyToAddress,
    ReplyToState,
    Role,
    Service,
    SmsSender,
    Status,
    TeamMember,
    Template,
)

Link = tuple[str, str] | None  # label and URL; None if the person may not open the page
_PERMISSIONS = {Channel.EMAIL: Permission.EMAIL, Channel.SMS: Permission.SMS}
LinkTo = Callable[[str, type[Model]], Link]


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One item of the checklist. An item that is not ready does not prevent going live."""

    title: str
    detail: str
    is_ready: bool
    link: Link = None


def checks(service: Service, link_to: LinkTo) -> list[ChecklistItem]:
    """Return the checklist of a service."""
    found = [_template(service, link_to), _team(service, link_to)]
    channels = [channel for channel, permission in _PERMISSIONS.items() if permission in service.permissions]
    if Channel.EMAIL in channels:
        found.append(_reply_to(service, link_to))
    if Channel.SMS in channels:
        found.append(_sender(service, link_to))
    if service.attachments.exists():
        found.append(_file_contact(service, link_to))
    return [*found, _delivered(service, link_to), _providers(channels)]


def _template(service: Service, link_to: LinkTo) -> ChecklistItem:
    count = service.templates.filter(archived_at=None).count()
    detail = f"{formats.counted(count, 'template')} in use." if count else "This service has no template yet."
    return ChecklistItem("Templates", detail, count > 0, link_to("View templates", Template))


def _team(service: Service, link_to: LinkTo) -> ChecklistItem:
    team = list(service.team.filter(user__is_active=True))
    managers = sum(Role.MANAGE_SERVICE in member.roles for member in team)
    detail = f"{formats.counted(managers, 'person', 'people')} can manage this service."
    if not managers:
        detail = "Nobody in the team can manage this service. Only operators can."
    elif managers == 1:
        detail = "Only one person can manage this service. Two is safer."
    return ChecklistItem("Team", detail, managers > 1, link_to("View team", TeamMember))


def _reply_to(service: Service, link_to: LinkTo) -> ChecklistItem:
    row = service.reply_to_addresses.filter(archived_at=None, is_default=True).first()
    detail = f"Replies go to {row.email_address}." if row else "There is no default reply-to address."
    is_confirmed = row is not None and row.state == ReplyToState.CONFIRMED
    if row and not is_confirmed:
        detail += " Nobody has confirmed it through the emailed link."
    link = link_to("View reply-to addresses", ReplyToAddress)
    return ChecklistItem("Reply-to address", detail, is_confirmed, link)


def _sender(service: Service, link_to: LinkTo) -> ChecklistItem:
    row = service.sms_senders.filter(archived_at=None, is_default=True).first()
    detail = f"Text messages come from {row}." if row else "There is no default sender."
    is_own = row is not None and row.sender != settings.DEFAULT_SMS_SENDER
    if row and not is_own:
        detail = f"Text messages come from {row}, the sender of every new service. Add one that people know."
    return ChecklistItem("Text message sender", detail, is_own, link_to("View text message senders", SmsSender))


def _file_contact(service: Service, link_to: LinkTo) -> ChecklistItem:
    detail = "This service sends files. Emails with files are refused until it has a contact for the download page."
    if service.file_contact:
        detail = f"The download page of files shows {service.file_contact}."
    link = link_to("View files", Attachment)
    return ChecklistItem("File download page", detail, bool(service.file_contact), link)


def _delivered(service: Service, link_to: LinkTo) -> ChecklistItem:
    """Check the statistics, which the clock updates every minute."""
    counts = HourlyCount.objects.filter(service=service, key_type=KeyType.TEAM, n__gt=0)
    is_delivered = counts.filter(status__in=(Status.DELIVERED, Status.SENT)).exists()
    detail = "Send one message with a team key to yourself, and see that it arrives."
    if is_delivered:
        detail = "A message of a team key has arrived."
    return ChecklistItem("A message to your team", detail, is_delivered, link_to("View message log", Notification))


def _providers(channels: list[Channel]) -> ChecklistItem:
    """Check that each channel of the service has a provider that really sends."""
    missing = [f"{channel.noun}s" for channel in channels if not own_email.leaves(channel)]
    detail = "A provider sends the messages of this service."
    if missing:
        detail = f"Only the sandbox takes {formats.listed(missing, 'and')}, so none of them leaves. Ask an operator."
    return ChecklistItem("Provider", detail, not missing)
