"""Access tokens of data sets. Only the hash of a token is stored, so a copy of the database gives no access."""

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from datasets.models.data_set import DataSet


class AccessTokenQuerySet(models.QuerySet["AccessToken"]):
    def live(self) -> Self:
        """Return the tokens that are neither revoked nor expired."""
        return self.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()), revoked_at__isnull=True)


class AccessToken(models.Model):
    """An access token of exactly one data set. Source: docs/reference/data-sets.md §4.

    prefix: the first 8 characters, shown in the console
    token_hash: the SHA-256 of the whole token in hex; lookups use it
    services: of a token for statistics of Signalbox, the ids of the services whose records it reads; null for all
    last_used_at, last_used_from: written at most once a minute
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="tokens")
    prefix = models.CharField(max_length=8, editable=False)
    token_hash = models.CharField(max_length=64, editable=False)
    may_write = models.BooleanField(default=False)
    may_read = models.BooleanField(default=False)
    services = models.JSONField(null=True, default=list, editable=False)
    note = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, editable=False)
    last_used_at = models.DateTimeField(null=True, editable=False)
    last_used_from = models.GenericIPAddressField(null=True, editable=False)

    objects = AccessTokenQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["token_hash"], name="access_token_hash_unique"),
            models.CheckConstraint(condition=Q(may_write=True) | Q(may_read=True), name="access_token_has_a_scope"),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @property
    def scopes(self) -> list[str]:
        return [scope for scope, has in (("write", self.may_write), ("read", self.may_read)) if has]

    @property
    def reads_in_part(self) -> bool:
        return bool(self.services)

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())


class AccessTokenDay(models.Model):
    """The number of calls that used a token on one UTC day."""

    token = models.ForeignKey(AccessToken, on_delete=models.CASCADE, related_name="days", db_index=False)
    day = models.DateField()
    calls = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "day"], name="access_token_day_unique")]

    def __str__(self) -> str:
        return f"{self.token_id} on {self.day}"
