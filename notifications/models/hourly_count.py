"""The statistics of messages: counts by hour and status. Pages and data sets read them, and they outlive the messages.

`notifications.jobs.counting` writes the rows, `notifications.jobs.sums` reads them.
Source: docs/reference/statistics.md §1, §2.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, NamedTuple, Self
from uuid import UUID

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from config.databases.recorded import IS_CHANGED, Recorded, RecordedQuerySet
from config.statistics import KEPT_DAYS
from config.utc_days import day_of
from notifications.models.api_key import KeyType
from notifications.models.channel import Channel
from notifications.models.service import Service
from notifications.models.status import Status
from notifications.models.template import Template

KEPT_FOR = timedelta(days=KEPT_DAYS)
_SUMS = [
    *("n", "units", "times", "reasons", "version"),
    *("deleted", "deleted_units", "deleted_times", "deleted_reasons"),
]


class CountKey(NamedTuple):
    """The columns that name a count, besides the service. The channel is that of the template."""

    day: date
    hour: int
    channel: str
    template_id: UUID
    key_type: str
    status: str
    provider: str


@dataclass(slots=True)
class MessageSums:
    """Some messages of one count: their number, charged parts, durations and reasons, as in HourlyCount."""

    n: int = 0
    units: int = 0
    times: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)


class HourlyCountQuerySet(RecordedQuerySet):
    def add_deleted(self, service_id: UUID, deleted: Mapping[CountKey, MessageSums]) -> None:
        """Add deleted messages of a service. Call it in the transaction that deletes them, after `CountedDay.touch`.

        A count contains the messages if its hour was counted after they ended. Otherwise it is raised to include them.
        `touch` has locked the days, so no other process changes the rows meanwhile.
        """
        days, hours = {key.day for key in deleted}, {key.hour for key in deleted}
        stored = {row.key: row for row in self.filter(service_id=service_id, day__in=days, hour__in=hours)}
        new = [HourlyCount(service_id=service_id, **key._asdict()) for key in deleted if key not in stored]
        changed = [stored[key] for key in deleted if key in stored]
        for row in (*new, *changed):
            row.add_deleted(deleted[row.key])
        self.bulk_create(new)
        self.bulk_update(changed, _SUMS, batch_size=200)

    def to_forget(self) -> Self:
        return self.filter(day__lt=day_of(timezone.now() - KEPT_FOR))


class HourlyCount(Recorded):
    """Messages of one UTC hour, by template, key type, last status and provider: no recipient, content or reference.

    Messages of test keys are not counted. The hour is that of the acceptance.
    provider: the last provider that was tried; blank if there was none
    n: all messages at the last count of their day, see CountedDay
    units: the parts of accepted text messages, times the multiplier of the country
    times: the durations from due to delivered, of delivered messages with a provider
    reasons: why messages failed, as FailureReason, with the number of each
    deleted, deleted_units, deleted_times, deleted_reasons: the share of the messages whose rows are deleted
    """

    service = models.ForeignKey(Service, on_delete=models.CASCADE, db_index=False)
    day = models.DateField()
    hour = models.PositiveSmallIntegerField()
    channel = models.CharField(max_length=5, choices=Channel.choices)
    template = models.ForeignKey(Template, on_delete=models.CASCADE, db_index=False)
    key_type = models.CharField(max_length=4, choices=KeyType.choices)
    status = models.CharField(max_length=20, choices=Status.choices)
    provider = models.CharField(max_length=60, blank=True)
    n = models.PositiveIntegerField(default=0)
    deleted = models.PositiveIntegerField(default=0)
    units = models.PositiveBigIntegerField(default=0)
    deleted_units = models.PositiveBigIntegerField(default=0)
    times = models.JSONField(default=dict)
    deleted_times = models.JSONField(default=dict)
    reasons = models.JSONField(default=dict)
    deleted_reasons = models.JSONField(default=dict)

    objects = HourlyCountQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["service", "day", "hour", "template", "key_type", "status", "provider"],
                name="hourly_count_unique",
            ),
            models.CheckConstraint(condition=Q(hour__range=(0, 23)), name="hourly_count_hour_range"),
        ]
        indexes = [
            models.Index(fields=["day"], name="hourly_count_day"),
            models.Index(fields=["template", "day"], name="hourly_count_template"),
            models.Index(fields=["id"], condition=IS_CHANGED, name="hourly_count_to_record"),
        ]

    @property
    def key(self) -> CountKey:
        what = (self.channel, self.template_id, self.key_type, self.status, self.provider)
        return CountKey(self.day, self.hour, *what)

    def add_deleted(self, some: MessageSums) -> None:
        """Add deleted messages without saving."""
        self.deleted += some.n
        self.deleted_units += some.units
        self.deleted_times = dict(Counter(self.deleted_times) + some.times)
        self.deleted_reasons = dict(Counter(self.deleted_reasons) + some.reasons)
        self.n = max(self.n, self.deleted)
        self.units = max(self.units, self.deleted_units)
        self.times = dict(Counter(self.times) | Counter(self.deleted_times))
        self.reasons = dict(Counter(self.reasons) | Counter(self.deleted_reasons))
        self.version += 1

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
