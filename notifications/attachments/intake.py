"""From what a caller sent to what is kept: checked and scanned together, then one row and one blob for each file.

Source: Files sent by email §2.1, §6, §8.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from notifications.attachments import refusals, scanning, store, validation
from notifications.attachments.encryption import FileKey
from notifications.attachments.validation import FileRequest
from notifications.models import Attachment, Notification
from notifications.models.attachment import end_of_period


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file that may be sent."""

    name: str = field(repr=False)
    data: bytes = field(repr=False)
    asks_for_address: bool
    weeks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedFile:
    """A file as it is kept: the row, which is not saved yet, and the blob that it names."""

    row: Attachment
    blob: bytes = field(repr=False)


def check(requests: Sequence[FileRequest]) -> list[CheckedFile]:
    """Take the files of one email through every stage; each stage is over for all of them before the next begins.

    Raises TooManyFiles and other refusals of files, or NoVerdict where the scanner could not say.
    """
    if len(requests) > settings.FILES_MAX_PER_EMAIL:
        raise refusals.TooManyFiles(count=len(requests), limit=settings.FILES_MAX_PER_EMAIL)
    contents = [validation.decode(request) for request in requests]
    scanning.check(contents)
    return [
        CheckedFile(
            name=validation.name_for(request, data),
            data=data,
            asks_for_address=request.asks_for_address,
            weeks=request.weeks,
        )
        for request, data in zip(requests, contents, strict=True)
    ]


def seal(file: CheckedFile, key: FileKey, notification: Notification) -> SealedFile:
    """Make row and blob of one file of a message. The key is in neither."""
    row = Attachment(
        id=key.file_id,
        service_id=notification.service_id,
        notification_id=notification.id,
        template_id=notification.template_id,
        storage_name=store.new_name(),
        extension=validation.extension_of(file.name),
        size_bytes=len(file.data),
        key_check=key.check(),
        email_tag=key.email_tag(notification.recipient) if file.asks_for_address else None,
        created_at=notification.created_at,
        expires_at=end_of_period(notification.created_at, weeks=file.weeks),
    )
    row.set_name(file.name)
    return SealedFile(row=row, blob=key.seal(file.data, service_id=notification.service_id))
