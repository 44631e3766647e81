"""The use of a service's limits by UTC day: refused calls, and the emails about a limit that is nearly used up."""

import uuid
from collections.abc import Mapping
from datetime import date
from uuid import UUID

from django.db import models
from django.db.models import F

from notifications.models.limit import LimitKind
from notifications.models.limit_change import ServiceLimit
from notifications.models.service import Service


class RefusedCallsQuerySet(models.QuerySet["RefusedCalls"]):
    def add(self, numbers: Mapping[tuple[UUID, date, ServiceLimit], int]) -> None:
        """Add these numbers of refused calls, by service, day and limit."""
        some = sorted(numbers.items())  # sorted, so that two processes never deadlock
        rows = [RefusedCalls(service_id=service_id, day=day, limit=limit) for (service_id, day, limit), _ in some]
        self.bulk_create(rows, ignore_conflicts=True)
        for (service_id, day, limit), number in some:
            self.filter(service_id=service_id, day=day, limit=limit).update(count=F("count") + number)


class RefusedCalls(models.Model):
    """The number of API calls that one limit refused on one UTC day."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="refused_calls", db_index=False)
    day = models.DateField()
    limit = models.CharField(max_length=29, choices=ServiceLimit.choices)
    count = models.PositiveIntegerField(default=0)

    objects = RefusedCallsQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["day"], name="refused_calls_day")]
        constraints = [models.UniqueConstraint(fields=["service", "day", "limit"], name="refused_calls_unique")]

    def __str__(self) -> str:
        return f"Refused calls on {self.day}"


class LimitNotice(models.Model):
    """An email about a daily limit that is used to `percent`: once a day for each limit and percentage.

    mail_at: when the email is due, by the database's clock. Null: no email is due
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="limit_notices", db_index=False)
    day = models.DateField()
    kind = models.CharField(max_length=17, choices=LimitKind.choices)
    percent = models.PositiveSmallIntegerField()
    count = models.PositiveIntegerField()
    limit = models.PositiveIntegerField()
    mail_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["day"], name="limit_notice_day"),
            models.Index(fields=["mail_at"], condition=models.Q(mail_at__isnull=False), name="limit_notice_to_mail"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["service", "day", "kind", "percent"], name="limit_notice_unique")
        ]

    def __str__(self) -> str:
        return f"Notice of a limit on {self.day}"
