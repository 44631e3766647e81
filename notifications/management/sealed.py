"""The encrypted columns of the sending area. Source: Security and reliability §1."""

from config.management.sealed_columns import SealedColumn
from notifications.models import ApiKey, Attachment, CallbackEndpoint, Notification, SandboxMessage

SEALED = (
    SealedColumn(ApiKey, "sealed_secret"),
    SealedColumn(CallbackEndpoint, "sealed_bearer_token"),
    SealedColumn(CallbackEndpoint, "sealed_signing_secret"),
    SealedColumn(CallbackEndpoint, "sealed_old_signing_secret"),
    SealedColumn(SandboxMessage, "sealed"),
    SealedColumn(Notification, "sealed_outgoing"),
    SealedColumn(Attachment, "name_sealed"),
)
