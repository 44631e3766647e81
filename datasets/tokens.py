"""Issue, find, rotate and revoke access tokens. A secret is shown once and stored as a hash.

Source: docs/reference/data-sets.md §4.
"""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from datasets.errors import TokenNotLive
from datasets.models import AccessToken, DataSet, token_by_hash

_LAST_USE_EVERY = timedelta(minutes=1)  # one write for each call would double the cost of a small call


def new_secret() -> str:
    """Return `ds_` and 43 characters made of 32 secure random bytes."""
    return "ds_" + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def issue(
    data_set: DataSet,
    scopes: Collection[str],
    *,
    secret: str | None = None,
    by: User | None = None,
    note: str = "",
    expires_at: datetime | None = None,
    services: Collection[str] | None = None,
) -> tuple[AccessToken, str]:
    """Store a new token and return it with its secret. The secret cannot be shown again. services: as of AccessToken"""
    secret = secret or new_secret()
    token = AccessToken.objects.create(
        data_set=data_set,
        prefix=secret[:8],
        token_hash=hash_secret(secret),
        may_write="write" in scopes,
        may_read="read" in scopes,
        note=note,
        created_by=by,
        expires_at=expires_at,
        services=None if services is None else sorted(services),
    )
    return token, secret


def rotate(token: AccessToken, *, ends_at: datetime | None = None, by: User | None = None) -> tuple[AccessToken, str]:
    """Issue a successor with the same scopes and services, and let the old token expire.

    It expires after DATASETS_ROTATION_DAYS by default. An earlier expiry stays.
    Raises TokenNotLive for an expired or revoked token.
    """
    if not token.is_live:
        raise TokenNotLive
    ends_at = ends_at or timezone.now() + timedelta(days=settings.DATASETS_ROTATION_DAYS)
    successor = issue(token.data_set, token.scopes, by=by, note=token.note, services=token.services)
    sooner = Q(expires_at__isnull=True) | Q(expires_at__gt=ends_at)
    AccessToken.objects.filter(sooner, pk=token.pk).update(expires_at=ends_at)
    return successor


def revoke(token: AccessToken) -> bool:
    """Revoke the token; return False if it was revoked before."""
    return bool(AccessToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()))


def live_of(data_set: DataSet) -> QuerySet[AccessToken]:
    """Return the tokens of one data set that are neither revoked nor expired."""
    return AccessToken.objects.live().filter(data_set=data_set)


def find_live(secret: str) -> AccessToken:
    """Return the token with its data set and path, in one query by hash. Raises TokenNotLive."""
    token = token_by_hash(hash_secret(secret))
    if token is None or not token.is_live:
        raise TokenNotLive
    return token


def note_use(token: AccessToken, ip_address: str | None) -> None:
    """Store the time and the IP address of the last use, at most once a minute."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at <= now - _LAST_USE_EVERY:
        unnoted = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - _LAST_USE_EVERY)
        AccessToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now, last_used_from=ip_address)
