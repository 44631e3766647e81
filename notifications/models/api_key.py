"""An API key: its secret is encrypted, not hashed, because the signature check needs it back.

Source: docs/reference/sending-api.md §3; docs/reference/security.md §1.
"""

import uuid
from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone

from config import encryption
from notifications.models.service import Service

REVOKED_KEYS_ARE_NAMED_FOR = timedelta(days=7)  # after that a revoked key is answered like an unknown one


class KeyType(models.TextChoices):
    LIVE = "live", "Live"
    TEAM = "team", "Team and guest list"
    TEST = "test", "Test"


class ApiKey(models.Model):
    """A caller of the sending API: `{name}-{service id}-{secret}` is what it holds."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=60)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    encrypted_secret = models.BinaryField(editable=False)
    last4 = models.CharField(max_length=4, editable=False)
    note = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_by = models.CharField(max_length=255, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_client = models.CharField(max_length=100, blank=True, editable=False)

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["service", "name"], condition=models.Q(revoked_at=None), name="api_key_name_unique_unrevoked"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def secret(self) -> str:
        return encryption.decrypt(bytes(self.encrypted_secret), table="api_key", column="secret", row=str(self.id))

    def set_secret(self, secret: str) -> None:
        """Encrypt `secret`, a lower-case UUID, into this row (not saved)."""
        self.encrypted_secret = encryption.encrypt(secret, table="api_key", column="secret", row=str(self.id))
        self.last4 = secret[-4:]

    def is_live(self, now: datetime) -> bool:
        """Say whether the key may be used: neither revoked nor past its end."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
