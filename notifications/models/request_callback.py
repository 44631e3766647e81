"""The callback that a single request names for its message. Source: docs/callbacks.md."""

from typing import Self
from uuid import UUID

from django.db import models

from config import encryption
from notifications.models.callback import CallbackEndpoint
from notifications.models.callback_event import CallbackKind
from notifications.models.service import Service


class RequestCallbackQuerySet(models.QuerySet["RequestCallback"]):
    def store(self, callback: "RequestCallback", service: Service) -> None:
        """Store the callback of a message, and the endpoint of the service for all of these."""
        endpoints = CallbackEndpoint.objects.filter(service=service, kind=CallbackKind.REQUEST)
        if not endpoints.exists():
            endpoint = CallbackEndpoint(service=service, kind=CallbackKind.REQUEST, url="", encrypted_bearer_token=b"")
            CallbackEndpoint.objects.bulk_create([endpoint], ignore_conflicts=True)
        self.bulk_create([callback])

    def copies(self, message: models.Model, new: models.Model) -> "list[RequestCallback]":
        """Return the callback of a message for another message, not stored: one or none. Raises DecryptionFailed."""
        return [RequestCallback.of(new.pk, one.url, one.bearer_token) for one in self.filter(pk=message.pk)]


class RequestCallback(models.Model):
    """The URL and the bearer token for the final status of one message. The token is encrypted."""

    notification = models.OneToOneField(
        "notifications.Notification", on_delete=models.CASCADE, primary_key=True, related_name="request_callback"
    )
    url = models.CharField("URL", max_length=2000)
    encrypted_bearer_token = models.BinaryField(editable=False)

    objects = RequestCallbackQuerySet.as_manager()

    class Meta:
        verbose_name = "callback of a request"

    def __str__(self) -> str:
        return f"Callback of message {str(self.notification_id)[:8]}"

    @classmethod
    def of(cls, message_id: UUID, url: str, bearer_token: str) -> Self:
        """Return the callback of a message, not stored."""
        callback = cls(notification_id=message_id, url=url)
        callback.encrypted_bearer_token = encryption.encrypt(
            bearer_token, table="request_callback", column="bearer_token", row=str(message_id)
        )
        return callback

    @property
    def bearer_token(self) -> str:
        return encryption.decrypt(
            bytes(self.encrypted_bearer_token),
            table="request_callback",
            column="bearer_token",
            row=str(self.notification_id),
        )
