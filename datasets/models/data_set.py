"""A data set: its path, its settings and its counters."""

from datetime import date
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.utils import timezone

from datasets.models.paths import DataGroup, DataType
from datasets.models.record import Record
from datasets.validation import EXPECTED_EVERY_SECONDS, MAX_CONTACT, MAX_RECORDS, RETENTION_DAYS, is_path_part


def _in_range(column: str, allowed: range, name: str) -> models.CheckConstraint:
    is_allowed = models.Q((f"{column}__isnull", True)) | models.Q((f"{column}__range", (allowed[0], allowed[-1])))
    return models.CheckConstraint(condition=is_allowed, name=name)


STORE_ID = Coalesce("current_store", "pk", output_field=models.BigIntegerField())


# Public data sets without what catalogues of open data show.
INCOMPLETE = models.Q(("description", "")) | models.Q(("licence", "")) | models.Q(("contact", ""))
INCOMPLETE &= models.Q(("public", True))


class DataSetQuerySet(models.QuerySet["DataSet"]):
    def stores(self) -> models.QuerySet["DataSet", int]:
        """Return the ids of the stores of these data sets, for sub-selects."""
        return self.order_by().values_list(STORE_ID, flat=True)

    def at(self, group: str, type: str) -> Self:
        """Return the data set at this path, as a QuerySet. A malformed path matches nothing."""
        if not (is_path_part(group) and is_path_part(type)):
            return self.none()
        return self.select_related("group", "type").filter(group__name=group, type__name=type)


class DataSet(models.Model):
    """A named store of records. Source: docs/reference/data-sets.md §1, §13 to §15; docs/reference/console.md §2.14.

    personal: whether the erasure of a person searches the records
    auto_ids: names of the fields that make the `_id`, in order, or null
    revision: grows with each POST, PUT and clean-up that changes records; entity tags depend on it
    fields_revision: the revision at which the field names were last sampled
    current_store: the id of the store of its records since it was emptied; null: its own id is also that of its store
    columns_until: records before this moment are in segments (`Segment`); null: the data set has none
    schema_mode: what happens to records that do not fit the schema: off, warn or enforce
    is_of_product: whether Signalbox fills it with its statistics, so that nobody else may write or empty it
    licence: SPDX identifier; contact: email address or URL; units: unit by field name, or null
    late_since: when the clock found that an expected write was missing; null while the data set is on time
    """

    group = models.ForeignKey(DataGroup, on_delete=models.PROTECT, related_name="data_sets")
    type = models.ForeignKey(DataType, on_delete=models.PROTECT, related_name="data_sets")
    owners = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="data_sets")
    public = models.BooleanField(default=False)
    realtime = models.BooleanField(default=False)
    personal = models.BooleanField(default=False, db_default=False)
    auto_ids = models.JSONField(null=True, blank=True)
    retention_days = models.PositiveIntegerField(null=True, blank=True)
    max_records = models.PositiveIntegerField(null=True, blank=True)
    expected_every_seconds = models.PositiveIntegerField(null=True, blank=True)
    description = models.TextField(blank=True, default="", db_default="")
    licence = models.CharField(max_length=40, blank=True, default="", db_default="")
    contact = models.CharField(max_length=MAX_CONTACT, blank=True, default="", db_default="")
    units = models.JSONField(null=True, blank=True)
    record_count = models.BigIntegerField(default=0, editable=False)
    last_write_at = models.DateTimeField(null=True, editable=False)
    revision = models.BigIntegerField(default=0, editable=False)
    fields_revision = models.BigIntegerField(default=0, editable=False)
    current_store = models.BigIntegerField(null=True, editable=False)
    columns_until = models.DateTimeField(null=True, editable=False)
    late_since = models.DateTimeField(null=True, editable=False)
    is_of_product = models.BooleanField(default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    class SchemaMode(models.TextChoices):
        OFF = "off"
        WARN = "warn"
        ENFORCE = "enforce"

    schema_mode = models.CharField(
        max_length=7, choices=SchemaMode, default=SchemaMode.OFF, db_default=SchemaMode.OFF, editable=False
    )

    objects = DataSetQuerySet.as_manager()

    is_sample_old = False  # set if a page could not sample the newest records in time
    is_read_in_part = False  # set for a person who reads the records about some services only

    class Meta:
        ordering = ["group__name", "type__name"]
        permissions = [("manage_data_sets", "Can manage all data sets, groups and types")]
        constraints = [
            models.UniqueConstraint(fields=["group", "type"], name="data_set_path_unique"),
            _in_range("retention_days", RETENTION_DAYS, "data_set_retention_days_range"),
            _in_range("max_records", MAX_RECORDS, "data_set_max_records_range"),
            _in_range("expected_every_seconds", EXPECTED_EVERY_SECONDS, "data_set_expected_every_range"),
            models.UniqueConstraint(fields=["current_store"], name="data_set_store_unique"),
            models.CheckConstraint(condition=models.Q(record_count__gte=0), name="data_set_record_count_positive"),
            models.CheckConstraint(
                condition=models.Q(schema_mode__in=["off", "warn", "enforce"]), name="data_set_schema_mode"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.group}/{self.type}"

    @property
    def store_id(self) -> int:
        return self.pk if self.current_store is None else self.current_store

    @property
    def records(self) -> models.QuerySet[Record]:
        return Record.objects.filter(store_id=self.store_id)

    @property
    def audit_scope(self) -> dict[str, int]:
        return {"data_set_id": self.pk}

    @property
    def name(self) -> str:
        """Return the name used in API messages, such as `pay_weekly_volumes`."""
        return f"{self.group}_{self.type}".replace("-", "_")


class DataSetDayQuerySet(models.QuerySet["DataSetDay"]):
    def add(self, data_set_id: int, day: date | None = None, **more: int) -> None:
        """Add to the counters of a UTC day, today by default: `add(7, writes=1, records=500)`."""
        day = day or timezone.now().date()
        row = self.filter(data_set_id=data_set_id, day=day)
        added: dict[str, Any] = {name: models.F(name) + number for name, number in more.items()}
        if not row.update(**added):  # the first count of the day
            self.bulk_create([DataSetDay(data_set_id=data_set_id, day=day)], ignore_conflicts=True)
            row.update(**added)


class DataSetDay(models.Model):
    """The counters of one data set for one UTC day: stored writes, their records, and refused writes.

    without_token: calls without a valid token
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
