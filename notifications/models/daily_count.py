"""How many messages there were, and how they ended: what pages count from, and what is left of messages that are gone.

Source: docs/reference/sending-api.md §21; docs/reference/console.md §2.1.
"""

from typing import Any

from django.db import models
from django.db.models import F
from django.db.models.functions import Greatest

from notifications.models.api_key import KeyType
from notifications.models.notification import Channel
from notifications.models.service import Service
from notifications.models.status import Status
from notifications.models.template import Template


class DailyCountQuerySet(models.QuerySet["DailyCount"]):
    def add_deleted(self, number: int, **what: Any) -> None:  # Any: values of the columns that name a count
        """Count so many as deleted; inside the transaction that deletes them.

        They are in `n` already where their day has been counted since they ended; if not, it becomes as many at least.
        """
        named = self.filter(**what)
        more = {"n": Greatest(F("n"), F("deleted") + number), "deleted": F("deleted") + number}
        if not named.update(**more):
            self.bulk_create([DailyCount(**what)], ignore_conflicts=True)  # somebody else may be making it too
            named.update(**more)


class DailyCount(models.Model):
    """Messages of one UTC day, by template, key type and last status: no recipient, content or reference.

    Those of test keys are in none. n: all of them, as they were when their day was last counted, see CountedDay;
    deleted: those of them whose rows are gone.
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    channel = models.CharField(max_length=5, choices=Channel.choices)
    template = models.ForeignKey(Template, on_delete=models.CASCADE)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    status = models.CharField(max_length=20, choices=Status.choices)
    n = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(default=0)

    objects = DailyCountQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["service", "day", "template", "key_type", "status"], name="daily_count_unique"
            )
        ]
        indexes = [models.Index(fields=["day"], name="daily_count_day")]

    def __str__(self) -> str:
        return f"{self.n} messages of {self.day}"


class CountedDayQuerySet(models.QuerySet["CountedDay"]):
    def touch(self, service_id: Any, day: Any) -> None:  # Any: values of the columns
        """Say that messages of this day are being deleted, so that it is counted again; in their transaction."""
        one = self.filter(service_id=service_id, day=day)
        changes: dict[str, Any] = {"version": F("version") + 1, "counted_at": None, "is_settled": False}
        if not one.update(**changes):
            self.bulk_create([CountedDay(service_id=service_id, day=day)], ignore_conflicts=True)
            one.update(**changes)


class CountedDay(models.Model):
    """When the messages of one service and UTC day were last counted.

    version: rises with every count and every deletion, so that a count which either overtook is dropped.
    is_settled: the day is over and all of its messages have ended, so there is nothing left to count.
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    counted_at = models.DateTimeField(null=True)
    is_settled = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=0)

    objects = CountedDayQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["service", "day"], name="counted_day_unique")]
        indexes = [models.Index(fields=["counted_at"], condition=models.Q(is_settled=False), name="counted_day_open")]

    def __str__(self) -> str:
        return f"Count of {self.day}"
