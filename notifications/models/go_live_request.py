"""Requests of teams to make their service live. Source: docs/reference/console.md §3.10."""

import uuid
from typing import Self

from django.db import models
from django.utils import timezone

from config import formats
from notifications.models.service import Service


class GoLiveState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    MADE_LIVE = "made_live", "Made live"
    SENT_BACK = "sent_back", "Sent back"
    WITHDRAWN = "withdrawn", "Withdrawn"


class GoLiveRequestQuerySet(models.QuerySet["GoLiveRequest"]):
    def waiting(self) -> Self:
        return self.filter(state=GoLiveState.WAITING)

    def answer(self, state: GoLiveState, *, text: str, by: str) -> int:
        """End the waiting requests and make the email with the answer due. Return their number."""
        is_mailed = state != GoLiveState.WITHDRAWN
        now = timezone.now()
        return self.waiting().update(
            state=state, answer=text, answered_by=by, answered_at=now, mail_at=now if is_mailed else None
        )


class GoLiveRequest(models.Model):
    """A request with the expected volumes. A service has at most one that waits.

    mail_at: when an email is due: to the operators while it waits, to the team about the answer. Null: none is due
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="go_live_requests", db_index=False)
    emails_per_day = models.PositiveIntegerField()
    texts_per_day = models.PositiveIntegerField("text messages per day")
    purpose = models.CharField("what the messages are about", max_length=500)
    state = models.CharField(max_length=9, choices=GoLiveState.choices, default=GoLiveState.WAITING)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)
    answer = models.CharField(max_length=500, blank=True, editable=False)
    answered_at = models.DateTimeField(null=True, blank=True, editable=False)
    answered_by = models.CharField(max_length=255, blank=True, editable=False)
    mail_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = GoLiveRequestQuerySet.as_manager()

    class Meta:
        verbose_name = "request to go live"
        verbose_name_plural = "requests to go live"
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["service", "-created_at"], name="go_live_request_of_service"),
            models.Index(fields=["created_at"], condition=models.Q(state="waiting"), name="go_live_request_waiting"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["service"], condition=models.Q(state="waiting"), name="go_live_request_one_waiting"
            )
        ]

    def __str__(self) -> str:
        return f"Request of {formats.full_day(self.created_at)}"
