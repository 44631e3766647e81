"""Parse recipients, and check to which recipients a caller may send.

Source: docs/reference/sending-api.md §4.1, §6, §9, §11.
"""

from functools import lru_cache
from uuid import UUID

from django.conf import settings

from config.host_names import ascii_host
from notifications import errors
from notifications.models import (
    Channel,
    GuestListEntry,
    KeyType,
    LimitKind,
    Notification,
    Permission,
    Service,
    Suppression,
    SuppressionReason,
    TeamMember,
)
from notifications.recipients import email, phone
from notifications.recipients.email import EmailAddress
from notifications.recipients.outcomes import PhoneRejection
from notifications.recipients.phone import PhoneNumber
from notifications.recipients.prices import PriceTable
from notifications.submission.callers import Caller
from notifications.submission.ttl_cache import cached

SIMULATED_NUMBERS = frozenset({"447700900000", "447700900111", "447700900222"})
SIMULATED_LOCAL_PARTS = ("simulate-delivered", "simulate-delivered-2", "simulate-delivered-3")

_MAX_NUMBER_CHARACTERS = 400  # of the database column; a number may contain any number of spaces


def parse_phone_number(text: str, service: Service) -> PhoneNumber:
    """Parse a phone number with the permissions of a service. Raises ValidationError.

    If the service lacks a permission for a valid number, `check_number` rejects it later.
    """
    try:
        return parse_number(text, service)
    except phone.InvalidPhoneNumber as error:
        raise error.outcome.error(fix=phone.hint(text) or "") from error


def parse_number(text: str, service: Service) -> PhoneNumber:
    """Parse a phone number like `parse_phone_number`. Raises InvalidPhoneNumber."""
    number = phone.parse(
        text,
        international=Permission.INTERNATIONAL_SMS in service.permissions,
        landlines=Permission.SMS_TO_UK_LANDLINES in service.permissions,
        prices=prices(),
    )
    if len(number.as_given) > _MAX_NUMBER_CHARACTERS:
        raise phone.InvalidPhoneNumber(PhoneRejection.INVALID_NUMBER)
    return number


def parse_email_address(text: str) -> EmailAddress:
    """Parse an email address. Raises EmailAddressInvalid."""
    try:
        return email.parse(text)
    except email.InvalidEmailAddress as error:
        raise errors.EmailAddressInvalid from error


def check_template(caller: Caller, template_id: UUID) -> None:
    """Raise KeyTemplateNotAllowed if the key is limited to other templates."""
    if caller.allowed_templates and str(template_id) not in caller.allowed_templates:
        raise errors.KeyTemplateNotAllowed


def check_channel(service: Service, channel: Channel) -> None:
    """Raise TextMessagesNotAllowed or EmailsNotAllowed if the service lacks the permission."""
    if channel is Channel.SMS and Permission.SMS not in service.permissions:
        raise errors.TextMessagesNotAllowed
    if channel is Channel.EMAIL and Permission.EMAIL not in service.permissions:
        raise errors.EmailsNotAllowed


def check_recipient(caller: Caller, recipient: PhoneNumber | EmailAddress) -> None:
    """Raise NotOnTeam or ServiceInTrial if the caller may not send to this recipient.

    A team key, and any other key of a service in trial except a test key, reaches only the team and the guest list.
    This also holds for simulated recipients.
    """
    if may_send_to(caller, recipient):
        return
    service = caller.service
    fix = f"Add this recipient to the team or the guest list, or make the service live: {console_url(service)}"
    if caller.key_type == KeyType.TEAM:
        raise errors.NotOnTeam(fix=fix)
    raise errors.ServiceInTrial(trial_mode_url=settings.TRIAL_MODE_URL, fix=fix)


def may_send_to(caller: Caller, recipient: PhoneNumber | EmailAddress) -> bool:
    """Return whether the caller may send to this recipient, as `check_recipient` checks."""
    if caller.key_type == KeyType.TEST or (caller.key_type == KeyType.LIVE and caller.service.live):
        return True
    return is_known(caller.service, recipient)


def is_known(service: Service, recipient: PhoneNumber | EmailAddress) -> bool:
    """Return whether a recipient is in the team or the guest list of a service."""
    return recipient.key in (_known_recipients(service.id) or ())


def suppressed_by(
    caller: Caller, channel: Channel, recipient: PhoneNumber | EmailAddress, *, is_subscription: bool
) -> SuppressionReason | None:
    """Return the reason why a message would end without being sent. Test keys and simulated recipients have none."""
    if caller.key_type == KeyType.TEST or is_simulated(recipient):
        return None
    return suppression_of(caller.service_id, channel, recipient, is_subscription=is_subscription)


def suppression_of(
    service_id: UUID, channel: Channel, recipient: PhoneNumber | EmailAddress, *, is_subscription: bool
) -> SuppressionReason | None:
    """Return the reason why a recipient gets no messages of a service, or None."""
    normalised = recipient.key
    reasons = Suppression.objects.reasons(service_id, channel, [normalised], is_subscription=is_subscription)
    return reasons.get(normalised)


def check_not_suppressed(
    caller: Caller, channel: Channel, recipient: PhoneNumber | EmailAddress, *, is_subscription: bool
) -> None:
    """Raise RecipientSuppressed if the recipient is suppressed.

    Only for services that reject such sends. For all others a send costs no query: the claim of the message finds the
    suppression.
    """
    if reason := suppressed_by(caller, channel, recipient, is_subscription=is_subscription):
        raise errors.RecipientSuppressed(reason=reason.label.lower())


def check_number(number: PhoneNumber) -> None:
    """Raise InternationalNotAllowed or ValidationError if the service lacks a permission for a valid number.

    This is the only check of a number after the request's fields are parsed.
    """
    if number.refused is PhoneRejection.INTERNATIONAL_NOT_ALLOWED:
        raise errors.InternationalNotAllowed
    if number.refused is not None:
        raise number.refused.error


def is_simulated(recipient: PhoneNumber | EmailAddress) -> bool:
    """Return whether a message to this recipient is only checked, not stored or sent."""
    if isinstance(recipient, PhoneNumber):
        return recipient.key in SIMULATED_NUMBERS
    local_part, _, domain = recipient.key.rpartition("@")
    return local_part in SIMULATED_LOCAL_PARTS and domain == ascii_host(settings.SIMULATED_EMAIL_DOMAIN)


def is_counted_international(number: PhoneNumber) -> bool:
    """Return whether a text to this number counts towards the international limit.

    Crown dependencies do not count: they have the code +44, although their price is that of another country.
    """
    return number.is_international and not number.crown_dependency


def counted_for(message: Notification) -> list[LimitKind]:
    """Return the daily limits that a stored message counts against."""
    if message.channel == Channel.EMAIL:
        return [LimitKind.EMAIL]
    if is_counted_international(parse_phone_number(message.recipient, message.service)):
        return [LimitKind.SMS, LimitKind.INTERNATIONAL_SMS]
    return [LimitKind.SMS]


def console_url(service: Service) -> str:
    return f"{settings.BASE_URL}/admin/notifications/service/{service.id}/"


@lru_cache(maxsize=1)
def prices() -> PriceTable:
    """Return the operator's price table. Countries that it does not list cannot be reached."""
    return PriceTable.load(settings.SMS_PRICE_TABLE) if settings.SMS_PRICE_TABLE else PriceTable.shipped()


@cached
def _known_recipients(service_id: UUID) -> frozenset[str] | None:
    """Return the normalised email addresses and phone numbers of the team and the guest list."""
    team = TeamMember.objects.filter(service_id=service_id).values_list("normalised_email", "normalised_phone")
    guests = GuestListEntry.objects.filter(service_id=service_id).values_list("normalised", flat=True)
    return frozenset(recipient for member in team for recipient in member if recipient) | frozenset(guests)
