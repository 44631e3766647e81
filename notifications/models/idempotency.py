"""The idempotency keys of the sending API, kept for a day. Source: docs/reference/sending-api.md §15."""

from datetime import timedelta

from django.db import models
from django.utils.crypto import salted_hmac

from config.rest.idempotency import StoredKey
from notifications.models.api_key import ApiKey


class IdempotencyRecord(StoredKey):
    """An idempotency key of one API key. A request claims it first and then stores its response in it.

    claimed_until: when another request may take over the claim of a request that died; null after `answer` is stored
    """

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, db_index=False)
    answer = models.JSONField(null=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["api_key", "key"], name="idempotency_record_unique")]

    @staticmethod
    def hashed(key: str) -> str:
        """Return the form in which a key is kept after the erasure of a person whose recipient it has."""
        return "erased:" + salted_hmac("notifications.idempotency.erased", key, algorithm="sha256").hexdigest()

    @staticmethod
    def kept_for() -> timedelta:
        return timedelta(hours=24)
