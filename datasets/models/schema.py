"""The schema of a data set, and how new records differ from it."""

import json
from datetime import date, timedelta
from typing import Any, Self

from django.db import models
from django.db.models import F, Sum
from django.utils import timezone

from datasets.models.data_set import DataSet
from datasets.models.fields import CodePointTextField
from datasets.records.schemas.words import Drift

DRIFT_KEPT_DAYS = 90
_MAX_FIELDS = 200  # of one data set and day: callers choose the names


class DataSetSchema(models.Model):
    """Source: docs/reference/data-sets.md §22.

    given: the schema that an owner gave, as JSON text; "" if there is none
    learned: the schema of the last sample of records, as JSON text; "" before the first
    """

    data_set = models.OneToOneField(DataSet, on_delete=models.CASCADE, related_name="schema", primary_key=True)
    given = models.TextField(blank=True, default="")
    learned = models.TextField(blank=True, default="")
    learned_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"schema of data set {self.data_set_id}"

    @property
    def current(self) -> dict[str, Any]:  # Any: JSON
        """Return the given schema, or else the learned one; {} before the first sample."""
        found: dict[str, Any] = json.loads(self.given or self.learned or "{}")
        return found


class FieldDriftQuerySet(models.QuerySet["FieldDrift"]):
    def past(self) -> Self:
        return self.filter(day__lt=timezone.now().date() - timedelta(days=DRIFT_KEPT_DAYS))

    def since(self, day: date) -> int:
        """Return the number of differences from a UTC day on."""
        return int(self.filter(day__gte=day).aggregate(sum=Sum("records", default=0))["sum"])

    def add(self, data_set_id: int, counts: dict[tuple[str, Drift], int], day: date | None = None) -> None:
        """Add to the counts of a UTC day, today by default. Fields beyond the limit of a day are not counted."""
        if not counts:
            return
        day = day or timezone.now().date()
        rows = self.filter(data_set_id=data_set_id, day=day)
        known = set(rows.values_list("field", "drift"))
        for (field, drift), number in sorted(counts.items()):
            if (field, drift.value) not in known and len(known) >= _MAX_FIELDS:
                continue
            known.add((field, drift.value))
            row = FieldDrift(data_set_id=data_set_id, day=day, field=field, drift=drift.value)
            self.bulk_create([row], ignore_conflicts=True)
            rows.filter(field=field, drift=drift.value).update(records=F("records") + number)


class FieldDrift(models.Model):
    """How many records of one UTC day differ from the schema in one field."""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="drifts", db_index=False)
    day = models.DateField()
    field = CodePointTextField()
    drift = models.CharField(max_length=20, choices=[(drift.value, drift.value) for drift in Drift])
    records = models.PositiveBigIntegerField(default=0)

    objects = FieldDriftQuerySet.as_manager()

    class Meta:
        ordering = ["-day", "field", "drift"]
        constraints = [models.UniqueConstraint(fields=["data_set", "day", "field", "drift"], name="field_drift_unique")]

    def __str__(self) -> str:
        return f"drift of data set {self.data_set_id}"
