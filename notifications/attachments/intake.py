"""Validate and scan the files of an email, and make the row and blob of each file.

Source: docs/reference/files.md §2.1, §6, §8.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from notifications import errors
from notifications.attachments import scanning, store, validation
from notifications.attachments.encryption import FileKey
from notifications.attachments.validation import FileRequest
from notifications.models import Attachment, Notification
from notifications.models.attachment import end_of_period


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A validated and scanned file."""

    name: str = field(repr=False)
    data: bytes = field(repr=False)
    asks_for_email_address: bool
    weeks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptedFile:
    """A file to store: an unsaved row and its blob."""

    row: Attachment
    blob: bytes = field(repr=False)


def check(requests: Sequence[FileRequest]) -> list[CheckedFile]:
    """Validate and scan the files of one email. Each check covers all files before the next check starts.

    Raises TooManyFiles and other errors of files, or NoVerdict if the scanner gives no result.
    """
    if len(requests) > settings.FILES_MAX_PER_EMAIL:
        raise errors.TooManyFiles(count=len(requests), limit=settings.FILES_MAX_PER_EMAIL)
    contents = [validation.decode(request) for request in requests]
    scanning.check(contents)
    return [
        CheckedFile(
            name=validation.name_for(request, data),
            data=data,
            asks_for_email_address=request.asks_for_email_address,
            weeks=request.weeks,
        )
        for request, data in zip(requests, contents, strict=True)
    ]


def encrypt(file: CheckedFile, key: FileKey, notification: Notification) -> EncryptedFile:
    """Return the row and blob of one file of a message. Neither contains the key."""
    row = Attachment(
        id=key.file_id,
        service_id=notification.service_id,
        notification_id=notification.id,
        template_id=notification.template_id,
        storage_name=store.new_name(),
        extension=validation.extension_of(file.name),
        size_bytes=len(file.data),
        key_check=key.check(),
        email_tag=key.email_tag(notification.recipient) if file.asks_for_email_address else None,
        created_at=notification.created_at,
        expires_at=end_of_period(notification.created_at, weeks=file.weeks),
    )
    row.set_name(file.name)
    return EncryptedFile(row=row, blob=key.encrypt(file.data, service_id=notification.service_id))
