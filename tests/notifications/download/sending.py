"""A file after its email was sent: a blob in the store, a row, and the recipient's link."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from notifications.attachments import links, store
from notifications.attachments.encryption import FileKey
from notifications.download.opening import OpenedFile
from notifications.models import Attachment, Service
from tests.factories import make_service

ADDRESS = "ana@example.org"
CONTENT = b"%PDF-1.7\n" + bytes(range(256)) * 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFile:
    """The recipient's link, and the data behind it for tests."""

    row: Attachment
    key: FileKey
    content: bytes

    def path(self, step: str = "", **further: str) -> str:
        return OpenedFile(row=self.row, key=self.key).url(step, **further)

    @property
    def written_id(self) -> str:
        return links.write(self.row.id.bytes)

    @property
    def written_key(self) -> str:
        return links.write(self.key.secret)

    def now(self) -> Attachment:
        """Return the row from the database."""
        return Attachment.objects.get(pk=self.row.pk)


def send_file(
    service: Service | None = None,
    *,
    address: str | None = ADDRESS,
    name: str = "Permit 4711.pdf",
    content: bytes = CONTENT,
    expires_at: datetime | None = None,
    **fields: Any,
) -> SentFile:
    """Store one file. address: None if no email address is required."""
    key = FileKey.new()
    service = service or make_service(name="Parks and Gardens", file_contact="help@parks.example")
    blob_name = store.new_name()
    store.write(blob_name, key.encrypt(content, service_id=service.id))
    values: dict[str, Any] = {
        "id": key.file_id,
        "service": service,
        "notification_id": uuid4(),
        "storage_name": blob_name,
        "extension": name.rpartition(".")[2].lower(),
        "size_bytes": len(content),
        "key_check": key.check(),
        "email_tag": key.email_tag(address) if address else None,
        "expires_at": expires_at or timezone.now() + timedelta(days=30),
    }
    row = Attachment(**values | fields)
    row.set_name(name)
    row.save(force_insert=True)
    return SentFile(row=row, key=key, content=content)
