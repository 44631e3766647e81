"""Create and use invites: links that work once, to join a team or to choose the password of an account.

A link from a colleague is valid for 7 days. A link that a person requests after forgetting the password is valid for
30 minutes. The row stores a hash of the token, and the person who creates the link sees it once. If Signalbox mails the
link, the row also stores the encrypted token until the provider has the mail, and no member of staff sees it.
Source: docs/reference/console.md §2.7, §2.19.
"""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from config import areas
from config.accounts.invite import Invite

VALID_FOR = timedelta(days=7)
REQUESTED_VALID_FOR = timedelta(minutes=30)
NETWORK_WINDOW, MAX_PER_NETWORK = timedelta(minutes=15), 10
ACCOUNT_WINDOW, MAX_PER_ACCOUNT = timedelta(hours=1), 3
_NO_ACCOUNT = 0  # an id that no account has
_TOKEN_BYTES = 32


class TooManyRequests(Exception):
    """A network has requested MAX_PER_NETWORK links within NETWORK_WINDOW."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailer:
    """The part of an area that mails links.

    leaves: return whether this installation really sends emails
    enqueue: queue the mail of one invite
    """

    leaves: Callable[[], bool]
    enqueue: Callable[[UUID], None]


def are_mailed() -> bool:
    return any(mailer.leaves() for mailer in areas.parts(Mailer))


def make(*, by: str, member_id: UUID | None = None, user_id: int | None = None) -> str:
    """Store a new invite for a team member or an account and return its token. An older invite expires."""
    invite, token = _new(by=by, member_id=member_id, user_id=user_id)
    invite.save()
    return token


def make_to_mail(*, by: str, member_id: UUID) -> UUID:
    """Store a new invite for a team member, to be mailed, and return its id. An older invite expires."""
    invite, token = _new(by=by, member_id=member_id)
    invite.set_token(token)
    invite.mail_at = Now()
    invite.save()
    return invite.pk


def ask_for_link(user_id: int | None, network: str | None) -> None:
    """Mail a link to choose a password, at most MAX_PER_ACCOUNT an hour for one account. Raises TooManyRequests.

    user_id: None if no account has the name that was typed. The invite is stored all the same and the worker discards
    it, so that the response time does not reveal which accounts exist.
    """
    tag = salted_hmac("forgotten", network or "", algorithm="sha256").hexdigest()
    now, asked_for = timezone.now(), Invite.objects.asked_for()
    if asked_for.filter(requested_from=tag, created_at__gt=now - NETWORK_WINDOW).count() >= MAX_PER_NETWORK:
        raise TooManyRequests
    invite, token = _built("", REQUESTED_VALID_FOR, user_id=user_id or _NO_ACCOUNT)
    invite.requested_from = tag
    invite.set_token(token)
    invite.save()
    # The count includes this row, which concurrent requests see, so that together they mail at most three links.
    of_account = asked_for.filter(user_id=invite.user_id)
    is_mailed = of_account.filter(created_at__gt=now - ACCOUNT_WINDOW).count() <= MAX_PER_ACCOUNT
    ended = of_account.exclude(pk=invite.pk) if is_mailed else of_account.filter(pk=invite.pk)
    ended.end()
    Invite.objects.live().filter(pk=invite.pk).update(mail_at=Now())
    for mailer in areas.parts(Mailer):
        mailer.enqueue(invite.pk)


def link_to(page: str, token: str) -> str:
    """Return the link to a page. The token is in the query string, because access logs contain the path."""
    return settings.BASE_URL + reverse(page, query={"token": token})


def find_live(token: str) -> Invite | None:
    """Return the invite with this token, or None if it cannot be accepted any more."""
    return Invite.objects.live().filter(token_hash=_hash_of(token)).first()


def spend(invite: Invite) -> bool:
    """Mark an invite as used and return True, or False if it was used or has expired.

    Call it in the transaction that acts on the invite.
    """
    used = {"used_at": timezone.now(), "mail_at": None, "encrypted_token": None}
    return Invite.objects.live().filter(pk=invite.pk).update(**used) == 1


def end(*, member_id: UUID | None = None, user_id: int | None = None) -> int:
    """Expire the live invites of a team member or an account and return their number."""
    return Invite.objects.filter(member_id=member_id, user_id=user_id).end()


def _new(*, by: str, member_id: UUID | None = None, user_id: int | None = None) -> tuple[Invite, str]:
    """Return a new, unsaved invite and its token, and expire older invites."""
    end(member_id=member_id, user_id=user_id)
    return _built(by, VALID_FOR, member_id=member_id, user_id=user_id)


def _built(
    by: str, valid_for: timedelta, *, member_id: UUID | None = None, user_id: int | None = None
) -> tuple[Invite, str]:
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    expires_at = timezone.now() + valid_for
    ids = {"member_id": member_id, "user_id": user_id}
    return Invite(token_hash=_hash_of(token), expires_at=expires_at, created_by=by, **ids), token


def _hash_of(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
