"""What the console keeps of its own: the audit trail, and which forms have shown their secret.

Its rows hold ids of the areas' rows, never foreign keys.
"""

import uuid
from typing import Any

from django.db import models
from django.utils import timezone


class ActorKind(models.TextChoices):
    USER = "user"
    KEY = "key", "API key"
    TOKEN = "token", "access token"
    CLOCK = "clock"
    COMMAND = "command"


class AuditIsAppendOnly(Exception):
    """An audit event is neither changed nor deleted."""


class AppendOnlyQuerySet(models.QuerySet["AuditEvent"]):
    """Refuses what would rewrite the trail; on PostgreSQL a trigger refuses it also to those who go around us."""

    def update(self, **kwargs: Any) -> int:
        raise AuditIsAppendOnly

    def bulk_update(self, *args: Any, **kwargs: Any) -> int:
        raise AuditIsAppendOnly

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AuditIsAppendOnly


class AuditEvent(models.Model):
    """One thing somebody did, written in its transaction and never changed. Secrets are fingerprints here."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)
    actor_kind = models.CharField(max_length=10, choices=ActorKind.choices)
    actor_id = models.CharField(max_length=64, blank=True)
    actor_label = models.CharField(max_length=255, blank=True)
    service_id = models.UUIDField(null=True, blank=True)
    data_set_id = models.BigIntegerField(null=True, blank=True)
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    verb = models.CharField(max_length=40)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True)
    request_id = models.CharField(max_length=36, blank=True)
    network_address = models.GenericIPAddressField(null=True, blank=True)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        db_table = "operations_audit_event"
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["-at"], name="audit_event_at"),
            models.Index(fields=["service_id", "-at"], name="audit_event_service"),
            models.Index(fields=["data_set_id", "-at"], name="audit_event_data_set"),
        ]

    def __str__(self) -> str:
        return f"Audit event {str(self.id)[:8]}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AuditIsAppendOnly
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AuditIsAppendOnly


class SpentNonce(models.Model):
    """A form that has made its secret: sent again, it makes no second one. Holds nothing of the secret."""

    nonce = models.UUIDField(primary_key=True)
    spent_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "operations_spent_nonce"

    def __str__(self) -> str:
        return f"Nonce {str(self.nonce)[:8]}"
