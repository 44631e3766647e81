"""The statistics of API requests and callbacks: counts by UTC hour. Source: docs/reference/statistics.md §6."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple, Self
from uuid import UUID

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from config.databases.recorded import IS_CHANGED, Recorded, RecordedQuerySet
from config.statistics import KEPT_DAYS
from notifications.models.service import Service

KEPT_FOR = timedelta(days=KEPT_DAYS)


class CallKind(models.TextChoices):
    """REQUEST: a call of the API with a key of the service; CALLBACK: one attempt of a callback."""

    REQUEST = "request"
    CALLBACK = "callback"


class CallResult(models.TextChoices):
    """The first two of requests; ACCEPTED, RETRY and GIVEN_UP of attempts of callbacks."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    RETRY = "retry"
    GIVEN_UP = "given-up"


class CallsOfHour(NamedTuple):
    """The columns that name a count."""

    service_id: UUID
    at: datetime
    kind: CallKind
    name: str
    result: CallResult


class HourlyCallsQuerySet(RecordedQuerySet):
    def add(self, numbers: Mapping[CallsOfHour, int]) -> None:
        """Add these numbers. Counts of deleted services are dropped."""
        known = set(Service.objects.filter(pk__in={key.service_id for key in numbers}).values_list("pk", flat=True))
        some = sorted((key, number) for key, number in numbers.items() if number and key.service_id in known)
        rows = [HourlyCalls(version=0, **key._asdict()) for key, _ in some]
        self.bulk_create(rows, ignore_conflicts=True)  # sorted, so that two processes never deadlock
        for key, number in some:
            self.filter(**key._asdict()).update(n=F("n") + number, version=F("version") + 1)

    def to_forget(self) -> Self:
        return self.filter(at__lt=timezone.now() - KEPT_FOR)


class HourlyCalls(Recorded):
    """The calls of one hour with one result.

    at: the start of the UTC hour
    name: the key type of requests, the event of callbacks
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=CallKind.choices)
    name = models.CharField(max_length=40)
    result = models.CharField(max_length=8, choices=CallResult.choices)
    n = models.PositiveBigIntegerField(default=0)

    objects = HourlyCallsQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["service", "at", "kind", "name", "result"], name="hourly_calls_unique"),
            models.CheckConstraint(
                condition=Q(kind="callback") | Q(result__in=["accepted", "refused"]), name="hourly_calls_result"
            ),
        ]
        indexes = [
            models.Index(fields=["at"], name="hourly_calls_at"),
            models.Index(fields=["id"], condition=IS_CHANGED, name="hourly_calls_to_record"),
        ]

    def __str__(self) -> str:
        return f"{self.n} calls at {self.at}"
