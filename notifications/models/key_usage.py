"""How a key is used: calls by day, and its newest refusals. Source: docs/reference/console.md §2.3.

Nothing a caller has sent is kept: a refusal is named by the entry of the documentation that explains it.
"""

from django.db import models
from django.db.models import F

from notifications.models.api_key import ApiKey

ERRORS_KEPT_PER_KEY = 20  # of each key, the newest


class ApiKeyDayQuerySet(models.QuerySet["ApiKeyDay"]):
    def add(self, rows: "list[ApiKeyDay]") -> None:
        """Add the numbers of these rows to those of their days."""
        self.bulk_create([ApiKeyDay(key_id=row.key_id, day=row.day) for row in rows], ignore_conflicts=True)
        for row in rows:
            mine = self.filter(key_id=row.key_id, day=row.day)
            mine.update(calls=F("calls") + row.calls, refused=F("refused") + row.refused)


class ApiKeyDay(models.Model):
    """Calls with one key on one UTC day; `refused` of them were."""

    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="days", db_index=False)
    day = models.DateField()
    calls = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    objects = ApiKeyDayQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "day"], name="api_key_day_unique")]

    def __str__(self) -> str:
        return f"Calls on {self.day}"


class ApiCallErrorQuerySet(models.QuerySet["ApiCallError"]):
    def keep(self, rows: "list[ApiCallError]") -> None:
        """Store these, and of each of their keys keep the newest ERRORS_KEPT_PER_KEY."""
        self.bulk_create(rows)
        for key_id in sorted({row.key_id for row in rows}, key=str):
            mine = self.filter(key_id=key_id)
            newest = list(mine.order_by("-at", "-id").values_list("id", flat=True)[:ERRORS_KEPT_PER_KEY])
            mine.exclude(id__in=newest).delete()


class ApiCallError(models.Model):
    """One refused call.

    kind: as in the answer, such as BadRequestError; slug: of its entry in the documentation, blank where it has none
    seconds_apart: how far the caller's clock is from ours, where that was the reason; above 0 it is behind
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
        return f"Refusal {self.pk}"
