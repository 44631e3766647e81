"""Links that work once and let their holder become a member of a team, or choose the password of an account.

A colleague's link is good for 7 days; one that a person asked for, having forgotten the password, for 30 minutes. The
row keeps a digest of its token; who makes the link sees it once. Where it is mailed instead, the token is sealed in the
row until the mail is handed over, and nobody here sees it. Source: Staff console §2.7, §2.19.
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

from config.console.models import Invite

VALID_FOR = timedelta(days=7)
ASKED_FOR_IS_VALID_FOR = timedelta(minutes=30)
NETWORK_WINDOW, MOST_OF_A_NETWORK = timedelta(minutes=15), 10
ACCOUNT_WINDOW, MOST_OF_AN_ACCOUNT = timedelta(hours=1), 3
_NOBODY = 0  # the id of no account
_TOKEN_BYTES = 32


class TooManyRequests(Exception):
    """One network has asked for as many links as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailer:
    """What mails links. leaves: does email leave this installation? enqueue: have the mail of one invite written."""

    leaves: Callable[[], bool]
    enqueue: Callable[[UUID], None]


_mailers: list[Mailer] = []


def register_mailer(mailer: Mailer) -> None:
    """Have the area that sends email mail the links: `config` imports no area."""
    _mailers[:] = [mailer]


def are_mailed() -> bool:
    return any(mailer.leaves() for mailer in _mailers)


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


def ask_for_link(user_id: int | None, network: str | None) -> None:
    """Mail a link to choose a password, at most three an hour for one account. Raises TooManyRequests.

    user_id: None where nobody has the name that was typed. A row for no account takes the same work and time, and the
    worker throws it away, so that nobody learns which names exist.
    """
    tag = salted_hmac("forgotten", network or "", algorithm="sha256").hexdigest()
    now, asked_for = timezone.now(), Invite.objects.asked_for()
    if asked_for.filter(requested_from=tag, created_at__gt=now - NETWORK_WINDOW).count() >= MOST_OF_A_NETWORK:
        raise TooManyRequests
    invite, token = _built("", ASKED_FOR_IS_VALID_FOR, user_id=user_id or _NOBODY)
    invite.requested_from = tag
    invite.set_token(token)
    invite.save()
    # Counted with its own row, which others see by now: of many at once no more than three are mailed.
    of_account = asked_for.filter(user_id=invite.user_id)
    is_mailed = of_account.filter(created_at__gt=now - ACCOUNT_WINDOW).count() <= MOST_OF_AN_ACCOUNT
    ended = of_account.exclude(pk=invite.pk) if is_mailed else of_account.filter(pk=invite.pk)
    ended.end()
    Invite.objects.live().filter(pk=invite.pk).update(mail_at=Now())
    for mailer in _mailers:
        mailer.enqueue(invite.pk)


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
    return _built(by, VALID_FOR, member_id=member_id, user_id=user_id)


def _built(
    by: str, valid_for: timedelta, *, member_id: UUID | None = None, user_id: int | None = None
) -> tuple[Invite, str]:
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    expires_at = timezone.now() + valid_for
    ids = {"member_id": member_id, "user_id": user_id}
    return Invite(digest=_digest(token), expires_at=expires_at, created_by=by, **ids), token


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
