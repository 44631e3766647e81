"""The encrypted columns of the sending area. Source: docs/reference/security.md §1."""

from config.encrypted_columns import EncryptedColumn
from notifications.models import ApiKey, Attachment, CallbackEndpoint, Notification, SandboxMessage

ENCRYPTED_COLUMNS = (
    EncryptedColumn(ApiKey, "encrypted_secret"),
    EncryptedColumn(CallbackEndpoint, "encrypted_bearer_token"),
    EncryptedColumn(CallbackEndpoint, "encrypted_signing_secret"),
    EncryptedColumn(CallbackEndpoint, "encrypted_old_signing_secret"),
    EncryptedColumn(SandboxMessage, "encrypted_content"),
    EncryptedColumn(Notification, "encrypted_outgoing"),
    EncryptedColumn(Attachment, "encrypted_name"),
)
