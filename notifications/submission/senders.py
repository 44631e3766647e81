"""Choose the sender or the reply-to address of a message. Source: docs/reference/sending-api.md §8."""

from collections.abc import Sequence
from typing import TypeVar
from uuid import UUID

from django.conf import settings

from notifications import errors
from notifications.models import ReplyToAddress, Service, SmsSender
from notifications.recipients import senders
from notifications.submission.requests import GivenId
from notifications.submission.ttl_cache import cached

Row = TypeVar("Row", SmsSender, ReplyToAddress)


def sms_sender(service: Service, chosen: GivenId | None) -> SmsSender | None:
    """Return the chosen sender, else the service's default, else None. Raises SmsSenderNotFound."""
    return _choose(_sms_senders(service.id) or [], service, chosen, errors.SmsSenderNotFound)


def reply_to(service: Service, chosen: GivenId | None) -> ReplyToAddress | None:
    """Return the chosen reply-to address, else the service's default, else None. Raises ReplyToNotFound."""
    return _choose(_reply_to_addresses(service.id) or [], service, chosen, errors.ReplyToNotFound)


def from_number(sender: SmsSender | None) -> str:
    return senders.from_number(sender.sender if sender else settings.DEFAULT_SMS_SENDER)


def from_email(service: Service) -> str:
    return senders.from_email(service.name, settings.EMAIL_DOMAIN)


@cached
def _sms_senders(service_id: UUID) -> list[SmsSender] | None:
    return list(SmsSender.objects.filter(service_id=service_id, archived_at=None))


@cached
def _reply_to_addresses(service_id: UUID) -> list[ReplyToAddress] | None:
    return list(ReplyToAddress.objects.filter(service_id=service_id, archived_at=None))


def _choose(
    known: Sequence[Row],
    service: Service,
    chosen: GivenId | None,
    not_found: type[errors.SmsSenderNotFound | errors.ReplyToNotFound],
) -> Row | None:
    for one in known:
        if one.is_default if chosen is None else one.id == chosen.value:
            return one
    if chosen is None:
        return None
    raise not_found(as_sent=chosen.as_sent, service_id=service.id, fix=_ids(known))


def _ids(known: Sequence[SmsSender | ReplyToAddress]) -> str:
    listed = ", ".join(f"{one.id} (default)" if one.is_default else str(one.id) for one in known)
    return f"Ids of this service: {listed or 'none'}"
