"""Who may send what to whom. Source: the sending contract §4.1, §6.2, §9, §11."""

from functools import lru_cache
from uuid import UUID

from django.conf import settings

from notifications import errors
from notifications.models import Channel, GuestListEntry, KeyType, Permission, Service, TeamMember
from notifications.recipients.email import EmailAddress
from notifications.recipients.outcomes import Outcome
from notifications.recipients.phone import PhoneNumber
from notifications.recipients.prices import PriceTable
from notifications.submission.callers import Caller
from notifications.submission.personalisation import console_url
from notifications.submission.recall import recalled

SIMULATED_NUMBERS = frozenset({"447700900000", "447700900111", "447700900222"})
SIMULATED_LOCAL_PARTS = ("simulate-delivered", "simulate-delivered-2", "simulate-delivered-3")


def check_channel(service: Service, channel: Channel) -> None:
    """Raises TextMessagesNotAllowed or EmailsNotAllowed."""
    if channel is Channel.SMS and not service.may(Permission.SMS):
        raise errors.TextMessagesNotAllowed
    if channel is Channel.EMAIL and not service.may(Permission.EMAIL):
        raise errors.EmailsNotAllowed


def check_recipient(caller: Caller, recipient: PhoneNumber | EmailAddress) -> None:
    """Hold team keys, and whoever sends for real for a service in trial, to the team and the guest list.

    Simulated recipients are no exception. Raises NotOnTeam, ServiceInTrial.
    """
    service = caller.service
    if caller.key_type == KeyType.TEST or (caller.key_type == KeyType.LIVE and service.live):
        return
    if recipient.normalised in (_known_recipients(service.id) or ()):
        return
    fix = f"Add this recipient to the team or guest list, or go live: {console_url(service)}"
    if caller.key_type == KeyType.TEAM:
        raise errors.NotOnTeam(fix=fix)
    raise errors.ServiceInTrial(trial_mode_url=settings.TRIAL_MODE_URL, fix=fix)


def check_number(number: PhoneNumber) -> None:
    """Refuse a good number that the service lacks a permission for: the one refusal of a number after the schema.

    Raises InternationalNotAllowed, ValidationError.
    """
    if number.refused is Outcome.INTERNATIONAL_NOT_ALLOWED:
        raise errors.InternationalNotAllowed
    if number.refused is not None:
        raise errors.ValidationError(f"phone_number {number.refused.v2_message}")


def is_simulated(recipient: PhoneNumber | EmailAddress) -> bool:
    """Say whether everything is checked for this recipient, but nothing stored or sent."""
    if isinstance(recipient, PhoneNumber):
        return recipient.normalised in SIMULATED_NUMBERS
    local_part, _, domain = recipient.normalised.rpartition("@")
    return local_part in SIMULATED_LOCAL_PARTS and domain == settings.SIMULATED_EMAIL_DOMAIN.lower()


def is_counted_international(number: PhoneNumber) -> bool:
    """Crown dependencies are +44: priced like other countries, but not counted with them."""
    return number.is_international and not number.crown_dependency


@lru_cache(maxsize=1)
def prices() -> PriceTable:
    """Return the operator's price table, which also decides which countries can be reached."""
    return PriceTable.load(settings.SMS_PRICE_TABLE) if settings.SMS_PRICE_TABLE else PriceTable.shipped()


@recalled
def _known_recipients(service_id: UUID) -> frozenset[str] | None:
    """Return the normalised addresses and numbers of the team and the guest list."""
    team = TeamMember.objects.filter(service_id=service_id).values_list("normalised_email", "normalised_phone")
    guests = GuestListEntry.objects.filter(service_id=service_id).values_list("normalised", flat=True)
    return frozenset(recipient for member in team for recipient in member if recipient) | frozenset(guests)
