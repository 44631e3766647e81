"""The read log: who opened a message, a file, a record, or the page of one person.

Source: docs/reference/security.md §7.
"""

import hashlib
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from django.db import models
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils import timezone

from config.audit.recording import person

READS_ARE_KEPT_FOR = timedelta(days=90)
ONE_READING = timedelta(minutes=10)  # pages refresh themselves; openings within this time are one entry
RECORD = "record"


class ReadEventQuerySet(models.QuerySet["ReadEvent"]):
    def past(self) -> "ReadEventQuerySet":
        """Return the entries that are no longer kept, oldest first."""
        return self.filter(at__lt=Now() - READS_ARE_KEPT_FOR).order_by("at")


class ReadEvent(models.Model):
    """One opening of a page by a signed-in person. It has ids only, and neither a recipient nor a content.

    object_id: of a record the start of the SHA-256 of its `_id`, which may be personal data; of a person a keyed hash
    """

    at = models.DateTimeField(default=timezone.now)
    user_id = models.CharField(max_length=64)
    user_label = models.CharField(max_length=255)
    service_id = models.UUIDField(null=True)
    data_set_id = models.BigIntegerField(null=True)
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    request_id = models.CharField(max_length=36, blank=True)
    ip_address = models.GenericIPAddressField("IP address", null=True)

    objects = ReadEventQuerySet.as_manager()

    class Meta:
        app_label = "operations"
        db_table = "operations_read_event"
        verbose_name = "read log entry"
        verbose_name_plural = "read log entries"
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="read_event_at"),
            models.Index(fields=["object_id", "user_id", "-at"], name="read_event_object"),
        ]

    def __str__(self) -> str:
        return f"Read log entry {self.pk}"


def note(
    request: HttpRequest, kind: str, object_id: object, *, service_id: UUID | None = None, data_set_id: Any = None
) -> None:
    """Record that the signed-in person opened a page. Repeated openings within ONE_READING are recorded once."""
    reader = person(request)
    same = ReadEvent.objects.filter(object_id=str(object_id), user_id=reader.id, object_kind=kind)
    if same.filter(at__gt=timezone.now() - ONE_READING).exists():
        return
    ReadEvent.objects.create(
        user_id=reader.id,
        user_label=reader.label,
        ip_address=reader.ip_address,
        object_kind=kind,
        object_id=str(object_id),
        service_id=service_id,
        data_set_id=data_set_id,
        request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
    )


def id_of_record(data_set_id: int, record_id: str) -> str:
    """Return the id under which the log has a record."""
    return hashlib.sha256(f"{data_set_id}/{record_id}".encode()).hexdigest()[:32]
