"""Count messages by day and status. Pages read these counts, which outlive the messages.

Source: docs/reference/sending-api.md §21; docs/reference/console.md §2.1.
"""

from typing import Any

from django.db import models
from django.db.models import F
from django.db.models.functions import Greatest

from notifications.models.api_key import KeyType
from notifications.models.channel import Channel
from notifications.models.service import Service
from notifications.models.status import Status
from notifications.models.template import Template


class DailyCountQuerySet(models.QuerySet["DailyCount"]):
    def add_deleted(self, number: int, units: int, **what: Any) -> None:  # Any: values of the columns that name a count
        """Add `number` deleted messages with their charged parts. Call it in the transaction that deletes them.

        `n` contains the messages if their day was counted after they ended. Otherwise `n` is raised to include them.
        """
        named = self.filter(**what)
        more = {
            "n": Greatest(F("n"), F("deleted") + number),
            "deleted": F("deleted") + number,
            "units": Greatest(F("units"), F("deleted_units") + units),
            "deleted_units": F("deleted_units") + units,
        }
        if not named.update(**more):
            self.bulk_create([DailyCount(**what)], ignore_conflicts=True)  # another process may create it too
            named.update(**more)


class DailyCount(models.Model):
    """Messages of one UTC day, by template, key type and last status: no recipient, content or reference.

    Messages of test keys are not counted.
    n: all messages at the last count of their day, see CountedDay
    deleted: the messages of these whose rows are deleted
    units: the parts of accepted text messages, times the multiplier of the country; counted when the day is over
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    channel = models.CharField(max_length=5, choices=Channel.choices)
    template = models.ForeignKey(Template, on_delete=models.CASCADE)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    status = models.CharField(max_length=20, choices=Status.choices)
    n = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(default=0)
    units = models.PositiveBigIntegerField(default=0, db_default=0)
    deleted_units = models.PositiveBigIntegerField(default=0, db_default=0)

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
        """Mark a day to be counted again. Call it in the transaction that deletes messages of the day."""
        mine = self.filter(service_id=service_id, day=day)
        changes: dict[str, Any] = {"version": F("version") + 1, "counted_at": None, "is_settled": False}
        if not mine.update(**changes):
            self.bulk_create([CountedDay(service_id=service_id, day=day)], ignore_conflicts=True)
            mine.update(**changes)


class CountedDay(models.Model):
    """The state of counting the messages of one service and UTC day.

    version: incremented by every count and deletion, so that a count that ran at the same time is discarded
    is_settled: the day is over and all of its messages have ended, so it is not counted again
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
