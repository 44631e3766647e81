"""Confirm reply-to addresses by an emailed link, which works once and for 7 days.

An address that is not confirmed may be used: replies may arrive although nobody has opened the link.
Source: docs/reference/console.md §3.11.
"""

import uuid
from datetime import timedelta
from uuid import UUID

from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from config import audit
from notifications.models import ReplyToAddress, ReplyToState

VALID_FOR = timedelta(days=7)
_SALT = "reply-to"


def begin(row: ReplyToAddress) -> None:
    """Make an email with a new link due, without saving the row. Earlier links stop working."""
    row.state = ReplyToState.CHECKING
    row.confirmation_id, row.mail_at = uuid.uuid4(), timezone.now()
    row.confirmed_at, row.confirmed_by = None, ""


def token_of(row: ReplyToAddress) -> str:
    """Return the token of the link. It is signed, so the Message-ID of the email does not reveal it."""
    return signing.dumps(str(row.confirmation_id), salt=_SALT)


def find(token: str) -> ReplyToAddress | None:
    """Return the reply-to address that a link confirms, or None if the link does not work any more."""
    try:
        confirmation_id = UUID(signing.loads(token, salt=_SALT, max_age=VALID_FOR))
    except (signing.BadSignature, ValueError):
        return None
    rows = ReplyToAddress.objects.select_related("service")
    return rows.filter(confirmation_id=confirmation_id, archived_at=None).first()


def confirm_by_link(row: ReplyToAddress) -> bool:
    """Confirm a reply-to address. Return False if the link was used meanwhile."""
    with transaction.atomic():
        same = ReplyToAddress.objects.filter(pk=row.pk, confirmation_id=row.confirmation_id)
        return _confirm(row, same, audit.CLOCK, by="", reason="through the emailed link")


def confirm_outside(row: ReplyToAddress, actor: audit.Actor, by: str, reason: str) -> bool:
    """Confirm a reply-to address that an operator has checked in another way."""
    return _confirm(row, ReplyToAddress.objects.filter(pk=row.pk), actor, by=by, reason=reason)


def note_bounce(confirmation_id: UUID) -> bool:
    """Note that the email with a link came back. Return whether there is such a link."""
    checking = ReplyToAddress.objects.filter(confirmation_id=confirmation_id, state=ReplyToState.CHECKING)
    return checking.update(state=ReplyToState.BOUNCED, mail_at=None) > 0


def _confirm(row: ReplyToAddress, same: QuerySet[ReplyToAddress], actor: audit.Actor, *, by: str, reason: str) -> bool:
    confirmed = same.exclude(state=ReplyToState.CONFIRMED).update(
        state=ReplyToState.CONFIRMED, confirmed_at=timezone.now(), confirmed_by=by, confirmation_id=None, mail_at=None
    )
    if confirmed:
        before: dict[str, object] = {"state": row.state}
        after: dict[str, object] = {"state": ReplyToState.CONFIRMED.value}
        audit.record(actor, "confirmed", row, before=before, after=after, reason=reason)
    return bool(confirmed)
