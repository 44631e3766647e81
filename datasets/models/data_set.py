"""A named store of records, its settings, and what is counted about it."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from datasets.models.address import DataGroup, DataType, is_word


class DataSetQuerySet(models.QuerySet["DataSet"]):
    def at(self, group: str, type: str) -> Self:
        """Those at this address; an address that breaks the rule of section 1 is simply one that does not exist."""
        if not (is_word(group) and is_word(type)):
            return self.none()
        return self.select_related("group", "type").filter(group__name=group, type__name=type)


class DataSet(models.Model):
    """Address, settings and counters. Source: Data Set contract §1, §13 to §15; Staff console §2.14.

    auto_ids: names of the fields an `_id` is made from, in their order, or null.
    revision: rises with every POST, PUT and clean-up that changed the records; entity tags are made from it.
    fields_revision: that of the records from which the fields seen were last noted.
    late_since: when the clock found that no write had come in time; null while all is well.
    """

    group = models.ForeignKey(DataGroup, on_delete=models.PROTECT, related_name="data_sets")
    type = models.ForeignKey(DataType, on_delete=models.PROTECT, related_name="data_sets")
    owners = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="data_sets")
    public = models.BooleanField(default=False)
    realtime = models.BooleanField(default=False)
    auto_ids = models.JSONField(null=True, blank=True)
    retention_days = models.PositiveIntegerField(null=True, blank=True)
    max_records = models.PositiveIntegerField(null=True, blank=True)
    expected_every_seconds = models.PositiveIntegerField(null=True, blank=True)
    record_count = models.BigIntegerField(default=0, editable=False)
    last_write_at = models.DateTimeField(null=True, editable=False)
    revision = models.BigIntegerField(default=0, editable=False)
    fields_revision = models.BigIntegerField(default=0, editable=False)
    late_since = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    objects = DataSetQuerySet.as_manager()

    class Meta:
        ordering = ["group__name", "type__name"]
        permissions = [("manage_data_sets", "Can manage all data sets, groups and types")]
        constraints = [
            models.UniqueConstraint(fields=["group", "type"], name="data_set_address_unique"),
            models.CheckConstraint(
                condition=models.Q(retention_days__isnull=True) | models.Q(retention_days__range=(1, 36_500)),
                name="data_set_retention_days_range",
            ),
            models.CheckConstraint(
                condition=models.Q(max_records__isnull=True) | models.Q(max_records__range=(1, 1_000_000_000)),
                name="data_set_max_records_range",
            ),
            models.CheckConstraint(
                condition=models.Q(expected_every_seconds__isnull=True)
                | models.Q(expected_every_seconds__range=(1, 31_536_000)),
                name="data_set_expected_every_range",
            ),
            models.CheckConstraint(condition=models.Q(record_count__gte=0), name="data_set_record_count_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.group}/{self.type}"

    @property
    def name(self) -> str:
        """The name in messages to callers, such as `pay_weekly_volumes`."""
        return f"{self.group}_{self.type}".replace("-", "_")


class DataSetDayQuerySet(models.QuerySet["DataSetDay"]):
    def add(self, data_set_id: int, **more: int) -> None:
        """Add to today's counters, in one statement but for the first of a day: `add(7, writes=1, records=500)`."""
        day = timezone.now().date()
        today = self.filter(data_set_id=data_set_id, day=day)
        added: dict[str, Any] = {name: models.F(name) + number for name, number in more.items()}
        if not today.update(**added):
            self.bulk_create([DataSetDay(data_set_id=data_set_id, day=day)], ignore_conflicts=True)
            today.update(**added)


class DataSetDay(models.Model):
    """How many POSTs of one UTC day were stored and refused, and how many records they held.

    without_token: calls that came without a live token; nothing else is known of them.
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    writes = models.PositiveIntegerField(default=0)
    records = models.PositiveBigIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    without_token = models.PositiveIntegerField(default=0)

    objects = DataSetDayQuerySet.as_manager()

    class Meta:
        ordering = ["-day"]
        constraints = [models.UniqueConstraint(fields=["data_set", "day"], name="data_set_day_unique")]

    def __str__(self) -> str:
        return f"{self.data_set_id} on {self.day}"
