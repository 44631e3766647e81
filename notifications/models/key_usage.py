"""The usage of API keys: calls by day and by endpoint, and the latest errors. Source: docs/reference/console.md §2.3.

Content of requests is not stored: an error is stored with the documentation entry that explains it.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models import F

from config.utc_days import today
from notifications.models.api_key import ApiKey

ERRORS_KEPT_PER_KEY = 20  # of each key, the newest
CALLS_ARE_KEPT_FOR = timedelta(days=31)


class ApiKeyDayQuerySet(models.QuerySet["ApiKeyDay"]):
    def add(self, rows: "list[ApiKeyDay]") -> None:
        """Add the counts of these rows to the stored rows of their keys and days."""
        self.bulk_create([ApiKeyDay(key_id=row.key_id, day=row.day) for row in rows], ignore_conflicts=True)
        for row in rows:
            mine = self.filter(key_id=row.key_id, day=row.day)
            mine.update(calls=F("calls") + row.calls, refused=F("refused") + row.refused)

    def to_forget(self) -> Self:
        return self.filter(day__lt=today() - CALLS_ARE_KEPT_FOR).order_by("day")


class ApiKeyDay(models.Model):
    """The number of calls with one key on one UTC day, and how many of them got an error (`refused`)."""

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="days", db_index=False)
    day = models.DateField()
    calls = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    objects = ApiKeyDayQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "day"], name="api_key_day_unique")]

    def __str__(self) -> str:
        return f"Calls on {self.day}"

    @property
    def accepted(self) -> int:
        return self.calls - self.refused


class EndpointCallsQuerySet(models.QuerySet["EndpointCalls"]):
    def add(self, numbers: Mapping[tuple[UUID, date, str], tuple[int, int]]) -> None:
        """Add these numbers of calls and refused calls, by key, day and endpoint."""
        some = sorted(numbers.items())  # sorted, so that two processes never deadlock
        rows = [EndpointCalls(key_id=key_id, day=day, endpoint=endpoint) for (key_id, day, endpoint), _ in some]
        self.bulk_create(rows, ignore_conflicts=True)
        for (key_id, day, endpoint), (calls, refused) in some:
            mine = self.filter(key=key_id, day=day, endpoint=endpoint)
            mine.update(calls=F("calls") + calls, refused=F("refused") + refused)

    def to_forget(self) -> Self:
        return self.filter(day__lt=today() - CALLS_ARE_KEPT_FOR).order_by("day")


class EndpointCalls(models.Model):
    """The calls of one key to one endpoint on one UTC day, and how many of them got an error (`refused`).

    endpoint: a method and a path with names in place of ids, such as `GET /v2/notifications/{notification_id}`
    """

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="endpoint_calls", db_index=False)
    day = models.DateField()
    endpoint = models.CharField(max_length=100)
    calls = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    objects = EndpointCallsQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "day", "endpoint"], name="endpoint_calls_unique")]
        indexes = [models.Index(fields=["day"], name="endpoint_calls_day")]

    def __str__(self) -> str:
        return f"Calls on {self.day}"


class ApiCallErrorQuerySet(models.QuerySet["ApiCallError"]):
    def keep(self, rows: "list[ApiCallError]") -> None:
        """Store these rows, and delete all but the newest ERRORS_KEPT_PER_KEY of each key."""
        self.bulk_create(rows)
        for key_id in sorted({row.key_id for row in rows}, key=str):
            mine = self.filter(key_id=key_id)
            newest = list(mine.order_by("-at", "-id").values_list("id", flat=True)[:ERRORS_KEPT_PER_KEY])
            mine.exclude(id__in=newest).delete()


class ApiCallError(models.Model):
    """A call that got an error.

    kind: as in the response, such as BadRequestError
    slug: of the entry in the documentation, or blank
    seconds_apart: how far the caller's clock is behind the server's (negative: ahead), if that was the reason
    """

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="errors", db_index=False)
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=40)
    slug = models.CharField(max_length=60, blank=True)
    seconds_apart = models.BigIntegerField(null=True)
    request_id = models.CharField(max_length=36, blank=True)

    objects = ApiCallErrorQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["key", "-at"], name="api_call_error_newest")]

    def __str__(self) -> str:
        return f"API call error {self.pk}"
