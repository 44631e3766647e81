"""Requests sent with an Idempotency-Key, for a day. Source: the sending contract §15."""

from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from notifications.models.api_key import ApiKey

KEPT_FOR = timedelta(hours=24)


class IdempotencyRecordQuerySet(models.QuerySet["IdempotencyRecord"]):
    def to_forget(self) -> Self:
        """Return what is older than a day."""
        return self.filter(created_at__lt=timezone.now() - KEPT_FOR).order_by("created_at")


class IdempotencyRecord(models.Model):
    """One key of one caller: who is answering it now, and the answer once there is one.

    fingerprint: of path and JSON, so that another request under the same key is noticed
    claimed_until: when a request that died in the middle gives the key back; null once answered
    """

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, db_index=False)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    answer = models.JSONField(null=True)
    claimed_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = IdempotencyRecordQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["api_key", "key"], name="idempotency_record_unique")]

    def __str__(self) -> str:
        return f"Idempotency record {self.pk}"
