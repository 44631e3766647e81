"""Bulk sends: one template to every row of a table. Source: docs/reference/bulk-sending.md §3."""

import uuid
from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from config.queue.lease import Lease
from notifications.models.api_key import ApiKey, KeyType
from notifications.models.channel import Channel, MessageOrigin
from notifications.models.sender import ReplyToAddress, SmsSender
from notifications.models.service import Service

LEASE_SECONDS = 20.0  # longer than one step


class BulkState(models.TextChoices):
    """The state of a bulk send. A draft is an uploaded table that nobody has sent; the API does not show it."""

    DRAFT = "draft", "Draft"
    SCHEDULED = "scheduled", "Scheduled"
    PENDING = "pending", "Pending"
    IN_PROGRESS = "in progress", "In progress"
    PAUSED = "paused", "Paused"
    FINISHED = "finished", "Finished"
    CANCELLED = "cancelled", "Cancelled"


MOVING = (BulkState.SCHEDULED, BulkState.PENDING, BulkState.IN_PROGRESS)  # steps make messages of their rows
OPEN = (*MOVING, BulkState.PAUSED)
ENDED = (BulkState.FINISHED, BulkState.CANCELLED)


class BulkSendQuerySet(models.QuerySet["BulkSend"]):
    def visible(self, service_id: UUID, key_type: str) -> Self:
        """Return the bulk sends that keys of a type may read and change."""
        return self.filter(service_id=service_id, key_type=key_type).exclude(state=BulkState.DRAFT)

    def due(self) -> Self:
        """Return the bulk sends that need a step, least recently served first, so that they take turns."""
        return self.filter(state__in=MOVING, next_step_at__lte=Now()).order_by("seen_at", "id")

    def abandoned_drafts(self, kept_for: timedelta) -> Self:
        return self.filter(state=BulkState.DRAFT, updated_at__lt=Now() - kept_for)


class BulkSend(models.Model):
    """One template that is sent to every row of a table, and the progress.

    template_version, service_name, prefix_sms, sms_sender, reply_to: those of acceptance
    language: the one that the caller chose, or empty
    is_sender_chosen: the caller chose the sender, or it is the default sender of texts, so the API shows its id
    names: the column names of the stored cells
    table_hash: of all rows, so that the same table is noticed
    check_result: what the console's check of a draft found
    next_step_at: when the next step is due; for a scheduled bulk send its time
    waiting … left_out: the number of its rows in each state of RowState; `left_out` rows are not part of row_count
    holder, seen_at: the lease of a step, see `config.queue.lease.Lease`; the one with the oldest seen_at is served next
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    api_key = models.ForeignKey(ApiKey, on_delete=models.SET_NULL, null=True, db_index=False)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    origin = models.CharField(max_length=7, choices=MessageOrigin.choices, default=MessageOrigin.API)
    created_by = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=36, blank=True)
    name = models.CharField(max_length=255)

    channel = models.CharField(max_length=5, choices=Channel.choices)
    template = models.ForeignKey("notifications.Template", on_delete=models.CASCADE)
    template_version = models.PositiveIntegerField()
    language = models.CharField(max_length=35, blank=True, db_default="")
    service_name = models.CharField(max_length=255)
    prefix_sms = models.BooleanField(default=False)
    sms_sender = models.ForeignKey(SmsSender, on_delete=models.SET_NULL, null=True, db_index=False)
    reply_to = models.ForeignKey(ReplyToAddress, on_delete=models.SET_NULL, null=True, db_index=False)
    is_sender_chosen = models.BooleanField(default=False)
    retry_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="retries")

    names = models.JSONField(default=list)
    table_hash = models.CharField(max_length=64, blank=True)
    check_result = models.JSONField(default=dict)

    state = models.CharField(max_length=11, choices=BulkState.choices)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    accepted_at = models.DateTimeField(null=True)
    scheduled_for = models.DateTimeField(null=True)
    processing_started = models.DateTimeField(null=True)
    processing_finished = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    checked_at = models.DateTimeField(null=True)
    next_step_at = models.DateTimeField(db_default=Now())

    row_count = models.PositiveIntegerField(default=0)
    waiting = models.PositiveIntegerField(default=0)
    messages = models.PositiveIntegerField(default=0)
    cancelled = models.PositiveIntegerField(default=0)
    simulated = models.PositiveIntegerField(default=0)
    repeat = models.PositiveIntegerField(default=0)
    left_out = models.PositiveIntegerField(default=0)

    holder = models.CharField(max_length=36, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    objects = BulkSendQuerySet.as_manager()

    class Meta:
        verbose_name = "bulk send"
        indexes = [
            models.Index(fields=["service", "key_type", "-created_at", "-id"], name="bulk_send_list"),
            models.Index(
                fields=["next_step_at"], condition=Q(state__in=[state.value for state in MOVING]), name="bulk_send_due"
            ),
            models.Index(fields=["service", "table_hash"], name="bulk_send_table"),
            models.Index(fields=["processing_finished"], name="bulk_send_ended"),
        ]

    def __str__(self) -> str:
        return f"Bulk send {str(self.id)[:8]}"

    @property
    def title(self) -> str:
        return self.name

    @property
    def sender_id(self) -> UUID | None:
        """Return the id of the sender that the API shows."""
        return (self.sms_sender_id or self.reply_to_id) if self.is_sender_chosen else None

    @property
    def author(self) -> str:
        """Return the name of the API key or the person that made it."""
        return self.api_key.name if self.api_key else self.created_by

    @property
    def shown_state(self) -> str:
        """Return the state by the clock: a scheduled bulk send is pending at its time, before its first step."""
        is_early = self.scheduled_for is not None and self.scheduled_for > timezone.now()
        return BulkState.PENDING.value if self.state == BulkState.SCHEDULED and not is_early else str(self.state)

    @property
    def next_send_at(self) -> datetime | None:
        """Return when the next row becomes a message, or None if none waits or the bulk send is paused."""
        if self.state not in MOVING or not self.waiting:
            return None
        return max(self.next_step_at, timezone.now())

    def status_counts(self) -> list[dict[str, object]]:
        """Return the number of messages by status."""
        messages = self.rows.filter(notifications__status__gt="").order_by("notifications__status")
        counted = messages.values("notifications__status").annotate(count=models.Count("pk"))
        return [{"status": one["notifications__status"], "count": one["count"]} for one in counted]

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    def lease(self) -> Lease:
        """Return the lease under which one worker makes messages. It is lost when the state stops moving."""
        return Lease(rows=BulkSend.objects.filter(pk=self.pk, state__in=MOVING), seconds=LEASE_SECONDS)
