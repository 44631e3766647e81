"""Invitations: a link that works once, for 7 days, and lets its holder become a member or choose a password.

The row keeps a digest of its token; whoever makes the link sees it once. Where it is mailed instead, the token is
sealed in the row until the mail is handed over, and nobody here sees it. Source: Staff console §2.7, §2.19.
"""

import hashlib
import secrets
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from config.console.models import Invite

VALID_FOR = timedelta(days=7)
_TOKEN_BYTES = 32


def make(*, by: str, member_id: UUID | None = None, user_id: int | None = None) -> str:
    """Store a new invite for a member of a team, or for an account, and return its token; an older one ends."""
    invite, token = _new(by=by, member_id=member_id, user_id=user_id)
    invite.save()
    return token


def make_to_mail(*, by: str, member_id: UUID) -> UUID:
    """Store a new invite for a member of a team whose link is to be mailed, and return its id; an older one ends."""
    invite, token = _new(by=by, member_id=member_id)
    invite.set_token(token)
    invite.mail_at = Now()
    invite.save()
    return invite.pk


def link_to(page: str, token: str) -> str:
    """Return the link to one of the two pages. The token is in the query: logs of proxies and ours have the path."""
    return settings.BASE_URL + reverse(page, query={"token": token})


def find_live(token: str) -> Invite | None:
    """Return the invite of a token, if it can still be accepted."""
    return Invite.objects.live().filter(digest=_digest(token)).first()


def spend(invite: Invite) -> bool:
    """Use an invite up; call it in the transaction that acts on it. False: somebody was faster, or its time is over."""
    used = {"used_at": timezone.now(), "mail_at": None, "sealed_token": None}
    return Invite.objects.live().filter(pk=invite.pk).update(**used) == 1


def end(*, member_id: UUID | None = None, user_id: int | None = None) -> int:
    """End whatever is open for a member or an account. Returns how many."""
    return Invite.objects.filter(member_id=member_id, user_id=user_id).end()


def _new(*, by: str, member_id: UUID | None = None, user_id: int | None = None) -> tuple[Invite, str]:
    """Return a new invite (not saved) and its token; an older one ends."""
    end(member_id=member_id, user_id=user_id)
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    expires_at = timezone.now() + VALID_FOR
    ids = {"member_id": member_id, "user_id": user_id}
    return Invite(digest=_digest(token), expires_at=expires_at, created_by=by, **ids), token


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
