"""Access tokens: issue, find, rotate, revoke. The secret itself exists only in the answer that shows it once.

Source: Data Set contract §4.
"""

import hashlib
import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from datasets.errors import TokenNotLive
from datasets.models import AccessToken, DataSet, token_by_digest

_CARRIED_OVER = re.compile(r"[A-Za-z0-9._~+/=-]{32,128}")
_LAST_USE_EVERY = timedelta(minutes=1)  # a write for each call would double the cost of a small one


def new_secret() -> str:
    """Return `ds_` and 43 characters: 32 bytes from the system's secure source."""
    return "ds_" + secrets.token_urlsafe(32)


def is_well_formed(secret: str) -> bool:
    """May this be a token that another system issued?"""
    return _CARRIED_OVER.fullmatch(secret) is not None


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def issue(
    data_set: DataSet,
    scopes: Collection[str],
    *,
    secret: str | None = None,
    by: User | None = None,
    note: str = "",
    expires_at: datetime | None = None,
) -> tuple[AccessToken, str]:
    """Store a new token; return it and its secret, which cannot be had again."""
    secret = secret or new_secret()
    token = AccessToken.objects.create(
        data_set=data_set,
        prefix=secret[:8],
        digest=digest(secret),
        may_write="write" in scopes,
        may_read="read" in scopes,
        note=note,
        created_by=by,
        expires_at=expires_at,
    )
    return token, secret


def rotate(token: AccessToken, *, ends_at: datetime | None = None, by: User | None = None) -> tuple[AccessToken, str]:
    """Issue a twin with the same scopes and give the old one an end, by default in DATASETS_ROTATION_DAYS.

    An end that is nearer already stays. Raises TokenNotLive: what has ended does not live again through its twin.
    """
    if not token.is_live:
        raise TokenNotLive
    ends_at = ends_at or timezone.now() + timedelta(days=settings.DATASETS_ROTATION_DAYS)
    twin = issue(token.data_set, token.scopes, by=by, note=token.note)
    sooner = Q(expires_at__isnull=True) | Q(expires_at__gt=ends_at)
    AccessToken.objects.filter(sooner, pk=token.pk).update(expires_at=ends_at)
    return twin


def revoke(token: AccessToken) -> bool:
    """End the token now and for ever; False where it had been revoked before."""
    return bool(AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()))


def live_of(data_set: DataSet) -> QuerySet[AccessToken]:
    """Return the tokens of one data set that are neither revoked nor past their end."""
    return AccessToken.objects.live().filter(data_set=data_set)


def find_live(secret: str) -> AccessToken:
    """Return the token with its data set and address, in one query by digest. Raises TokenNotLive."""
    token = token_by_digest(digest(secret))
    if token is None or not token.is_live:
        raise TokenNotLive
    return token


def note_use(token: AccessToken, network_address: str | None) -> None:
    """Remember when and from where a token was last used, at most once a minute."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at <= now - _LAST_USE_EVERY:
        unnoted = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - _LAST_USE_EVERY)
        AccessToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now, last_used_from=network_address)
