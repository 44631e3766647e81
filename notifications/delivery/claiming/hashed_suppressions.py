"""Suppressions whose recipient is not written like that of the message, for the claims of messages.

Of an erased recipient only a hash is kept. The statement that claims messages compares recipients, and cannot compute
the hashes. So these suppressions cost one query more a batch, in installations in which a recipient was erased. During
an upgrade the previous release stores messages with its own key of a host beyond ASCII.
Source: docs/reference/erasing.md §4.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from notifications.delivery.claiming.claim import Claim
from notifications.models import Channel, Suppression, SuppressionReason


def apply(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims with the reasons of these suppressions."""
    asked: dict[tuple[UUID, str, bool], list[str]] = {}
    for claim in claims:
        asked.setdefault(_scope(claim), []).append(claim.notification.normalised_recipient)
    hashed = Suppression.objects.hashed({recipient for some in asked.values() for recipient in some})
    reasons = {
        (*scope, recipient): reason
        for scope, some in asked.items()
        if hashed.intersection(some) or not all(map(str.isascii, some))
        for recipient, reason in _reasons(scope, some).items()
    }
    return [
        replace(claim, suppressed_by=reasons.get((*_scope(claim), claim.notification.normalised_recipient)))
        if claim.suppressed_by is None
        else claim
        for claim in claims
    ]


def _scope(claim: Claim) -> tuple[UUID, str, bool]:
    """Return what decides which suppressions concern a message, apart from its recipient."""
    message = claim.notification
    return message.service_id, message.channel, message.unsubscribe_link or bool(message.one_click_unsubscribe_url)


def _reasons(scope: tuple[UUID, str, bool], recipients: Sequence[str]) -> dict[str, SuppressionReason]:
    service_id, channel, is_subscription = scope
    return Suppression.objects.reasons(service_id, Channel(channel), recipients, is_subscription=is_subscription)
