"""Changes of a service's limits, made by operators. The columns of `Service` have the values in force.

Source: docs/reference/console.md §3.9.
"""

from typing import Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from notifications.models.limit import LimitKind
from notifications.models.service import Service


class ServiceLimit(models.TextChoices):
    """The limits of a service, each with the name of its column of `Service`."""

    RATE = "rate_limit_per_minute", "Requests per minute, for each type of key"
    EMAIL = "daily_limit_email", "Emails per day"
    SMS = "daily_limit_sms", "Text messages per day"
    INTERNATIONAL_SMS = "daily_limit_international_sms", "International text messages per day"


DAILY_LIMITS = {kind: ServiceLimit(f"daily_limit_{kind.value}") for kind in LimitKind}


class LimitChangeQuerySet(models.QuerySet["LimitChange"]):
    def temporary(self) -> Self:
        """Return the changes in force that end by themselves."""
        return self.filter(until__isnull=False, ended_at=None)

    def due(self) -> Self:
        """Return the temporary changes whose time is over."""
        return self.temporary().filter(until__lte=Now())


class LimitChange(models.Model):
    """A change of one limit. A service has at most one temporary change of each limit in force.

    former: the value before the change
    until: when the value `returns_to` applies again. Null: the change is lasting
    ended_at: when a temporary change ended, because its time was over or because of another change
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="limit_changes", db_index=False)
    limit = models.CharField(max_length=29, choices=ServiceLimit.choices)
    former = models.PositiveIntegerField()
    value = models.PositiveIntegerField()
    reason = models.CharField(max_length=500)
    until = models.DateTimeField(null=True, blank=True)
    returns_to = models.PositiveIntegerField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)

    objects = LimitChangeQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["service", "-created_at"], name="limit_change_of_service"),
            models.Index(
                fields=["until"], condition=models.Q(until__isnull=False, ended_at=None), name="limit_change_to_end"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["service", "limit"],
                condition=models.Q(until__isnull=False, ended_at=None),
                name="limit_change_one_temporary",
            ),
            models.CheckConstraint(
                condition=models.Q(until=None, returns_to=None)
                | models.Q(until__isnull=False, returns_to__isnull=False),
                name="limit_change_returns_to_a_value",
            ),
        ]

    def __str__(self) -> str:
        return f"Limit change {self.pk}"
