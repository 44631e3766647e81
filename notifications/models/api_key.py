"""API keys. The secret is encrypted, not hashed, because the signature check needs its plain text.

Source: docs/reference/sending-api.md §3; docs/reference/security.md §1.
"""

import uuid
from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property

from config import encryption
from notifications.models.service import Service

REVOKED_KEYS_ARE_NAMED_FOR = timedelta(days=7)  # later a revoked key gets the same error as an unknown one


class KeyType(models.TextChoices):
    LIVE = "live", "Live"
    TEAM = "team", "Team and guest list"
    TEST = "test", "Test"


class ApiKey(models.Model):
    """An API key of a service. Callers use it in the form `{name}-{service id}-{secret}`.

    manages_templates: whether callers may create, change and archive templates
    allowed_networks: the only networks from which the key may be used, such as `192.0.2.0/24`; empty for all
    allowed_templates: the ids of the only templates that the key may send; empty for all
    daily_limit: the most messages that the key may send on one UTC day; None for those of the service only
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=60)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    manages_templates = models.BooleanField(default=False, db_default=False)
    allowed_networks = models.JSONField(default=list, blank=True, db_default=models.Value([], models.JSONField()))
    allowed_templates = models.JSONField(default=list, blank=True, db_default=models.Value([], models.JSONField()))
    daily_limit = models.PositiveIntegerField(null=True, blank=True)
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

    @cached_property
    def secret(self) -> str:
        """Return the decrypted secret. A cached key decrypts it once for many requests."""
        return encryption.decrypt(bytes(self.encrypted_secret), table="api_key", column="secret", row=str(self.id))

    def set_secret(self, secret: str) -> None:
        """Set the encrypted secret and its last four characters, without saving. secret: a lower-case UUID."""
        self.encrypted_secret = encryption.encrypt(secret, table="api_key", column="secret", row=str(self.id))
        self.last4 = secret[-4:]
        self.__dict__.pop("secret", None)  # decrypted before

    def is_live(self, now: datetime) -> bool:
        """Return whether the key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
