"""Where a service wants to be told of final statuses and received texts. Source: the sending contract §20, §22."""

import uuid

from django.db import models
from django.utils import timezone

from config import sealing
from notifications.models.service import Service


class CallbackKind(models.TextChoices):
    DELIVERY_STATUS = "delivery_status", "Delivery status"
    RECEIVED_TEXT_MESSAGE = "received_text_message", "Received text message"


class CallbackEndpoint(models.Model):
    """One address per service and kind; its bearer token and signing secret are sealed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="callbacks")
    kind = models.CharField(max_length=21, choices=CallbackKind.choices)
    url = models.CharField(max_length=2000)
    sealed_bearer_token = models.BinaryField(editable=False)
    sealed_signing_secret = models.BinaryField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "kind"], name="callback_endpoint_one_a_kind")]

    def __str__(self) -> str:
        return f"Callback {str(self.id)[:8]}"

    @property
    def bearer_token(self) -> str:
        return self._unseal("bearer_token", self.sealed_bearer_token)

    @property
    def signing_secret(self) -> str | None:
        return self._unseal("signing_secret", self.sealed_signing_secret) if self.sealed_signing_secret else None

    def seal(self, column: str, value: str) -> bytes:
        """Return `value` sealed for this row's `bearer_token` or `signing_secret`."""
        return sealing.seal(value, table="callback_endpoint", column=column, row=str(self.id))

    def _unseal(self, column: str, sealed: bytes | memoryview) -> str:
        return sealing.unseal(bytes(sealed), table="callback_endpoint", column=column, row=str(self.id))
