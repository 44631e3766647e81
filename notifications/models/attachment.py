"""Files that emails link to. The row cannot decrypt the file: only the link contains the key.

Source: docs/reference/files.md §6, §10; docs/reference/console.md §2.12.
"""

import uuid
from datetime import date, datetime, time, timedelta
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from config import encryption, formats
from notifications.models.service import Service
from notifications.models.template import Template

MAX_WEEKS = 78  # from the day of sending; staff cannot extend it. Source: docs/reference/sending-api.md §8
TOMBSTONE_KEPT_FOR = timedelta(days=365)  # the link of a removed file shows an explanation for this time


def end_of_period(created_at: datetime, *, weeks: int) -> datetime:
    """Return the first moment at which a file kept for `weeks` is no longer served: the end of its last day."""
    zone = timezone.get_default_timezone()
    return end_of_day(timezone.localdate(created_at, zone) + timedelta(weeks=weeks))


def end_of_day(day: date) -> datetime:
    """Return the first moment after a day, in the time zone of the installation."""
    return datetime.combine(day + timedelta(days=1), time.min, timezone.get_default_timezone())


def last_day_before(moment: datetime) -> date:
    """Return the day before a moment, in the time zone of the installation."""
    return timezone.localdate(moment, timezone.get_default_timezone()) - timedelta(days=1)


class AttachmentState(models.TextChoices):
    AVAILABLE = "available", "Available"
    WITHDRAWN = "withdrawn", "Withdrawn"
    EXPIRED = "expired", "Expired"
    REMOVED = "removed", "Removed"


class AttachmentQuerySet(models.QuerySet["Attachment"]):
    def in_state(self, state: AttachmentState, at: datetime) -> Self:
        """Return the files that are in `state` at a moment."""
        match state:
            case AttachmentState.WITHDRAWN:
                return self.exclude(withdrawn_at=None)
            case AttachmentState.REMOVED:
                return self.filter(withdrawn_at=None).exclude(deleted_at=None)
            case AttachmentState.EXPIRED:
                return self.filter(withdrawn_at=None, deleted_at=None, expires_at__lte=at)
        return self.filter(withdrawn_at=None, deleted_at=None, expires_at__gt=at)

    def to_remove(self, at: datetime) -> Self:
        """Return the files that are expired or withdrawn and whose blob may still exist."""
        return self.filter(Q(expires_at__lte=at) | ~Q(withdrawn_at=None), deleted_at=None)

    def mark_removed(self, at: datetime) -> int:
        """Turn rows whose blobs are deleted into tombstones: only the key check and the dates remain."""
        return self.filter(deleted_at=None).update(
            deleted_at=at,
            encrypted_name=None,
            email_tag=None,
            wrong_tries=0,
            day_tries=0,
            window_started_at=None,
            day_started_at=None,
            locked_until=None,
        )

    def to_forget(self, at: datetime) -> Self:
        """Return the tombstones to delete: files removed more than TOMBSTONE_KEPT_FOR ago, oldest first."""
        return self.filter(deleted_at__lt=at - TOMBSTONE_KEPT_FOR).order_by("deleted_at")


class Attachment(models.Model):
    """A stored file and its state.

    notification_id: not a foreign key, because messages are deleted earlier
    template: the template of the message; it decides whether staff may read the file name. Null in older rows
    storage_name: the random name of the blob; not derived from the id, which is in the link
    extension: lower case, without the dot; size_bytes: of the file, not of its blob
    key_check: verifies a key without the blob
    email_tag: verifies an email address with the key; null if the download needs no email address
    expires_at: the first moment at which the file is not served; the day before is its last day
    missing_since: when a clean-up first found that the blob is missing from the store, else null

    wrong_tries and day_tries count within the windows that began at window_started_at and day_started_at.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="attachments", db_index=False)
    notification_id = models.UUIDField()
    template = models.ForeignKey(Template, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    storage_name = models.CharField(max_length=32, unique=True)
    extension = models.CharField(max_length=5)
    size_bytes = models.PositiveIntegerField()
    encrypted_name = models.BinaryField(null=True)
    key_check = models.BinaryField(max_length=16)
    email_tag = models.BinaryField(max_length=32, null=True)

    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.CharField(max_length=255, blank=True)
    withdrawn_why = models.CharField(max_length=255, blank=True)
    deleted_at = models.DateTimeField(null=True)
    missing_since = models.DateTimeField(null=True)

    wrong_tries = models.PositiveIntegerField(default=0)
    day_tries = models.PositiveIntegerField(default=0)
    window_started_at = models.DateTimeField(null=True)
    day_started_at = models.DateTimeField(null=True)
    locked_until = models.DateTimeField(null=True)
    download_count = models.PositiveIntegerField(default=0)
    last_download_at = models.DateTimeField(null=True)

    objects = AttachmentQuerySet.as_manager()

    class Meta:
        verbose_name = "file"
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["deleted_at", "expires_at"], name="attachment_removal"),
            models.Index(
                fields=["withdrawn_at"],
                condition=Q(deleted_at=None) & ~Q(withdrawn_at=None),
                name="attachment_withdrawn",
            ),
            models.Index(fields=["service", "-created_at"], name="attachment_list"),
        ]

    def __str__(self) -> str:
        return f"File {str(self.id)[:8]}"

    @property
    def masked_title(self) -> str:
        """Return the file type and the day, for staff who may not read the file name."""
        return f"{self.extension.upper()} of {formats.full_day(self.created_at)}"

    @property
    def name(self) -> str | None:
        """Return the file name, or None if the file is removed. Raises config.encryption.DecryptionFailed."""
        if self.encrypted_name is None:
            return None
        return encryption.decrypt(bytes(self.encrypted_name), table="attachment", column="name", row=str(self.id))

    def set_name(self, name: str) -> None:
        """Set the encrypted file name, without saving."""
        self.encrypted_name = encryption.encrypt(name, table="attachment", column="name", row=str(self.id))

    @property
    def last_day(self) -> date:
        """Return the last day on which the file is served, in the time zone of the installation."""
        return last_day_before(self.expires_at)

    @property
    def asks_for_email_address(self) -> bool:
        return self.email_tag is not None

    def state(self, at: datetime) -> AttachmentState:
        """Return the state at a moment. A withdrawn file stays withdrawn, even after its blob is deleted."""
        if self.withdrawn_at is not None:
            return AttachmentState.WITHDRAWN
        if self.deleted_at is not None:
            return AttachmentState.REMOVED
        return AttachmentState.EXPIRED if at >= self.expires_at else AttachmentState.AVAILABLE


class DownloadKind(models.TextChoices):
    DOWNLOADED = "downloaded", "Downloaded"
    CONFIRMED = "confirmed", "Email address confirmed"
    WRONG_EMAIL_ADDRESS = "wrong-email", "Wrong email address"
    LOCKED = "locked", "Locked after wrong email addresses"


class DownloadEvent(models.Model):
    """A use of a download link. The person is not recorded."""

    attachment = models.ForeignKey(Attachment, on_delete=models.CASCADE, related_name="events", db_index=False)
    at = models.DateTimeField(default=timezone.now)
    kind = models.CharField(max_length=13, choices=DownloadKind.choices)

    class Meta:
        indexes = [models.Index(fields=["attachment", "-at"], name="download_event_list")]

    def __str__(self) -> str:
        return f"Download event {self.pk}"
