"""A file that an email links to. The row opens nothing: the key is in the link alone.

Source: docs/reference/files.md §6, §10; docs/reference/console.md §2.12.
"""

import uuid
from datetime import date, datetime, time, timedelta
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from config import encryption
from notifications.models.service import Service
from notifications.models.template import Template

MAX_WEEKS = 78  # from the day of sending, whatever staff do; Notification Sending API §8
TOMBSTONE_KEPT_FOR = timedelta(days=365)  # for this time the link leads to a page that says the file is gone


def end_of_period(created_at: datetime, *, weeks: int) -> datetime:
    """Return when a file that is kept for so many weeks is no longer served: its last day is served through."""
    zone = timezone.get_default_timezone()
    return end_of_day(timezone.localdate(created_at, zone) + timedelta(weeks=weeks))


def end_of_day(day: date) -> datetime:
    """Return the first moment after a day, in the zone of the installation."""
    return datetime.combine(day + timedelta(days=1), time.min, timezone.get_default_timezone())


def last_day_before(moment: datetime) -> date:
    """Return the day before a moment, in the zone of the installation."""
    return timezone.localdate(moment, timezone.get_default_timezone()) - timedelta(days=1)


class AttachmentState(models.TextChoices):
    AVAILABLE = "available", "Available"
    WITHDRAWN = "withdrawn", "Withdrawn"
    EXPIRED = "expired", "Expired"
    REMOVED = "removed", "Removed"


class AttachmentQuerySet(models.QuerySet["Attachment"]):
    def in_state(self, state: AttachmentState, at: datetime) -> Self:
        """Return the files whose `state` was this at that moment."""
        match state:
            case AttachmentState.WITHDRAWN:
                return self.exclude(withdrawn_at=None)
            case AttachmentState.REMOVED:
                return self.filter(withdrawn_at=None).exclude(deleted_at=None)
            case AttachmentState.EXPIRED:
                return self.filter(withdrawn_at=None, deleted_at=None, expires_at__lte=at)
        return self.filter(withdrawn_at=None, deleted_at=None, expires_at__gt=at)

    def to_remove(self, at: datetime) -> Self:
        """Return the files that are past their last day or withdrawn, and whose blob may still be there."""
        return self.filter(Q(expires_at__lte=at) | ~Q(withdrawn_at=None), deleted_at=None)

    def mark_removed(self, at: datetime) -> int:
        """Make tombstones of rows whose blobs are gone: what remains proves a key and gives dates."""
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
        """Return the rows of files removed a year ago."""
        return self.filter(deleted_at__lt=at - TOMBSTONE_KEPT_FOR).order_by("deleted_at")


class Attachment(models.Model):
    """One stored file and what became of it.

    notification_id: no foreign key, since messages go earlier
    template: of that message; it says whether staff may read the file name. Null: stored before this column was
    storage_name: of the blob, random; it has nothing to do with the id, which is in the link
    extension: lower case, without the dot; size_bytes: of the file, not of its blob
    key_check: proves a key without the blob; email_tag: proves an address given the key, null where none is asked for
    expires_at: the first moment at which the file is not served; the day before is its last day
    missing_since: when a clean-up first found that the store has lost the blob, null while it is there

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
        """Return the kind and the day, for those who are not to read the file name."""
        return f"{self.extension.upper()} of {timezone.localtime(self.created_at):%-d %B %Y}"

    @property
    def name(self) -> str | None:
        """Return the file name, None once the file is removed. Raises config.encryption.DecryptionFailed."""
        if self.encrypted_name is None:
            return None
        return encryption.decrypt(bytes(self.encrypted_name), table="attachment", column="name", row=str(self.id))

    def set_name(self, name: str) -> None:
        """Encrypt the file name into this row (not saved)."""
        self.encrypted_name = encryption.encrypt(name, table="attachment", column="name", row=str(self.id))

    @property
    def last_day(self) -> date:
        """Return the last day on which the file is served, in the zone of the installation."""
        return last_day_before(self.expires_at)

    @property
    def asks_for_address(self) -> bool:
        return self.email_tag is not None

    def state(self, at: datetime) -> AttachmentState:
        """Return the state that pages may show at that moment. A withdrawn file stays withdrawn."""
        if self.withdrawn_at is not None:
            return AttachmentState.WITHDRAWN
        if self.deleted_at is not None:
            return AttachmentState.REMOVED
        return AttachmentState.EXPIRED if at >= self.expires_at else AttachmentState.AVAILABLE


class DownloadKind(models.TextChoices):
    DOWNLOADED = "downloaded", "Downloaded"
    CONFIRMED = "confirmed", "Email address confirmed"
    WRONG_ADDRESS = "wrong-address", "Wrong email address"
    LOCKED = "locked", "Locked after wrong email addresses"


class DownloadEvent(models.Model):
    """Something a holder of the link did; who it was is not kept."""

    attachment = models.ForeignKey(Attachment, on_delete=models.CASCADE, related_name="events", db_index=False)
    at = models.DateTimeField(default=timezone.now)
    kind = models.CharField(max_length=13, choices=DownloadKind.choices)

    class Meta:
        indexes = [models.Index(fields=["attachment", "-at"], name="download_event_list")]

    def __str__(self) -> str:
        return f"Download event {self.pk}"
