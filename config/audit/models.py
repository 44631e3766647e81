"""The audit trail: events, and the chain that shows whether one was changed, removed or added.

Events are never changed. They have ids of rows of the areas, not foreign keys. Source: docs/reference/security.md §7.
"""

import uuid
from collections.abc import Iterable
from datetime import timedelta
from itertools import takewhile
from typing import Any

from django.db import connection, models, transaction
from django.db.models.functions import Now
from django.utils import timezone

from config.audit import signatures


class ActorKind(models.TextChoices):
    USER = "user"
    KEY = "key", "API key"
    TOKEN = "token", "access token"
    CLOCK = "clock"
    COMMAND = "command"


class AuditIsAppendOnly(Exception):
    """Audit events cannot be changed. Only clean-up deletes them, after AUDIT_RETENTION_DAYS."""


class AppendOnlyQuerySet(models.QuerySet["AuditEvent"]):
    """Refuses changes of events. On PostgreSQL a trigger also refuses changes by SQL."""

    def update(self, **kwargs: Any) -> int:
        raise AuditIsAppendOnly

    def bulk_update(self, *args: Any, **kwargs: Any) -> int:
        raise AuditIsAppendOnly

    def delete(self) -> tuple[int, dict[str, int]]:
        raise AuditIsAppendOnly

    def bulk_create(self, objs: Iterable["AuditEvent"], *args: Any, **kwargs: Any) -> list["AuditEvent"]:
        """Sign the events and store them with few SQL statements."""
        events = list(objs)
        for event in events:
            event.signature = signatures.sign(event)
        return super().bulk_create(events, *args, **kwargs)

    def past(self, days: int) -> "AppendOnlyQuerySet":
        """Return the events older than `days`, by the database's clock."""
        return self.filter(at__lt=Now() - timedelta(days=days)).order_by("at")

    def purge(self, days: int, most: int) -> int:
        """Delete up to `most` events older than `days` from the start of the chain and return how many.

        Nothing else can delete events. PostgreSQL's trigger lets a row go only in a transaction that names the days,
        and only if it is older than them; never one of the last 30 days.
        """
        with transaction.atomic():
            links = list(AuditLink.objects.order_by("sequence")[:most])
            moments = dict(self.past(days).filter(pk__in=[link.event_id for link in links]).values_list("pk", "at"))
            gone = list(takewhile(lambda link: link.event_id in moments, links))
            if not gone:
                return 0
            _name_the_days(str(days))
            models.QuerySet(AuditEvent).filter(pk__in=[link.event_id for link in gone]).delete()
            AuditLink.objects.filter(sequence__lte=gone[-1].sequence).delete()
            AuditHead.objects.update(purged_sequence=gone[-1].sequence, purged_hash=gone[-1].chain_hash)
            _name_the_days("")  # the rest of the transaction must not delete events
        return len(gone)


def _name_the_days(days: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('signalbox.audit_kept_days', %s, true)", [days])


class AuditEvent(models.Model):
    """One action, stored in its transaction and never changed. Secrets appear as fingerprints.

    object_label: what people call the row, a recipient masked; before and after hold only what changed
    signature: see `config.audit.signatures`; blank if a release before 1.1 stored the event
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)
    actor_kind = models.CharField(max_length=10, choices=ActorKind.choices)
    actor_id = models.CharField(max_length=64, blank=True)
    actor_label = models.CharField(max_length=255, blank=True)
    service_id = models.UUIDField(null=True, blank=True)
    data_set_id = models.BigIntegerField(null=True, blank=True)
    object_kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=64)
    object_label = models.CharField(max_length=255, blank=True, db_default="")
    verb = models.CharField(max_length=40)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True)
    request_id = models.CharField(max_length=36, blank=True)
    ip_address = models.GenericIPAddressField("IP address", null=True, blank=True)
    signature = models.CharField(max_length=64, blank=True, editable=False, default="", db_default="")

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        app_label = "operations"  # the console's migrations create the table
        db_table = "operations_audit_event"
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["-at"], name="audit_event_at"),
            models.Index(fields=["service_id", "-at"], name="audit_event_service"),
            models.Index(fields=["data_set_id", "-at"], name="audit_event_data_set"),
            models.Index(fields=["object_id", "-at"], name="audit_event_object"),
            models.Index(fields=["object_kind", "-at"], name="audit_event_kind"),
            models.Index(fields=["verb", "-at"], name="audit_event_verb"),
        ]

    def __str__(self) -> str:
        return f"Audit event {str(self.id)[:8]}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AuditIsAppendOnly
        self.signature = signatures.sign(self)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AuditIsAppendOnly


class AuditLink(models.Model):
    """The place of one event in the chain, in the order of commits. A trigger of the database adds it.

    event_id: no foreign key, so that a missing event is found
    chain_hash: SHA-256 of the hash before it and the event's signature, as hexadecimal digits
    """

    sequence = models.BigIntegerField(primary_key=True)
    event_id = models.UUIDField(unique=True)
    chain_hash = models.CharField(max_length=64)

    class Meta:
        app_label = "operations"
        db_table = "operations_audit_link"

    def __str__(self) -> str:
        return f"Audit link {self.sequence}"


class AuditHead(models.Model):
    """The ends of the chain: the newest link, and the last one that clean-up has deleted. It has one row, with id 1."""

    sequence = models.BigIntegerField(db_default=0)
    chain_hash = models.CharField(max_length=64, blank=True, db_default="")
    purged_sequence = models.BigIntegerField(db_default=0)
    purged_hash = models.CharField(max_length=64, blank=True, db_default="")

    class Meta:
        app_label = "operations"
        db_table = "operations_audit_head"

    def __str__(self) -> str:
        return f"Audit head {self.sequence}"
