"""The statistics of requests to data sets: counts by UTC hour. Source: docs/reference/statistics.md §6."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import F
from django.utils import timezone

from config.databases.recorded import IS_CHANGED, Recorded, RecordedQuerySet
from config.statistics import KEPT_DAYS
from datasets.models.data_set import DataSet

KEPT_FOR = timedelta(days=KEPT_DAYS)


class HourlyRequestsQuerySet(RecordedQuerySet):
    def add(self, numbers: Mapping[tuple[int, datetime], int]) -> None:
        """Add these numbers of requests, by data set and hour."""
        some = sorted(numbers.items())  # sorted, so that two processes never deadlock
        rows = [HourlyRequests(version=0, data_set_id=data_set_id, at=at) for (data_set_id, at), _ in some]
        self.bulk_create(rows, ignore_conflicts=True)
        for (data_set_id, at), number in some:
            self.filter(data_set_id=data_set_id, at=at).update(n=F("n") + number, version=F("version") + 1)

    def to_forget(self) -> Self:
        return self.filter(at__lt=timezone.now() - KEPT_FOR)


class HourlyRequests(Recorded):
    """The requests with a valid token to one data set. at: the start of the UTC hour"""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField()
    n = models.PositiveBigIntegerField(default=0)

    objects = HourlyRequestsQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["data_set", "at"], name="hourly_requests_unique")]
        indexes = [
            models.Index(fields=["at"], name="hourly_requests_at"),
            models.Index(fields=["id"], condition=IS_CHANGED, name="hourly_requests_to_record"),
        ]

    def __str__(self) -> str:
        return f"{self.n} requests at {self.at}"
