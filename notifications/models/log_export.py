"""CSV files that a job writes, for the person who asked for them. Source: docs/reference/console.md §2.9."""

from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from notifications.models.service import Service

KEPT_FOR = timedelta(days=3)  # after the end of its job


def default_expiry() -> object:
    return timezone.now() + KEPT_FOR


class LogExportQuerySet(models.QuerySet["LogExport"]):
    def readable(self) -> Self:
        """Return the finished files that have not expired."""
        return self.exclude(finished_at=None).filter(expires_at__gt=timezone.now())

    def to_forget(self) -> Self:
        return self.filter(expires_at__lte=Now()).order_by("expires_at")


class LogExport(models.Model):
    """The messages of the log as a CSV file. It has the id of the job that writes it.

    user: the person who asked; nobody else may download the file
    service: the chosen service, or null for all services of the person
    query: the filters of the log as in its URL, which has no recipient
    """

    id = models.UUIDField(primary_key=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    service = models.ForeignKey(Service, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    query = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(default=default_expiry)

    objects = LogExportQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="log_export_expires")]

    def __str__(self) -> str:
        return f"Export {str(self.id)[:8]}"

    def finish(self) -> None:
        self.finished_at = timezone.now()
        self.expires_at = self.finished_at + KEPT_FOR
        self.save(update_fields=["finished_at", "expires_at"])


class LogExportPart(models.Model):
    """A part of the file, which is an encrypted blob in the store.

    last: the key of its last message, after which the next part starts
    """

    export = models.ForeignKey(LogExport, on_delete=models.CASCADE, related_name="parts", db_index=False)
    number = models.PositiveIntegerField()
    storage_name = models.CharField(max_length=32, db_index=True)
    last = models.CharField(max_length=120, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["export", "number"], name="log_export_part_unique")]

    def __str__(self) -> str:
        return f"Part {self.number} of export {str(self.export_id)[:8]}"
