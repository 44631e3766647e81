"""Rows that are copied to records of a data set after each change. See `config.statistics`."""

from typing import Any, Self

from django.db import models
from django.db.models import F, Q

IS_CHANGED = Q(version__gt=F("recorded_version"))


class RecordedQuerySet(models.QuerySet[Any]):  # Any: each model has its own
    def to_record(self) -> Self:
        """Return the rows that changed since they were stored as records, oldest first."""
        return self.filter(IS_CHANGED).order_by("id")

    def note_recorded(self, versions: dict[int, int]) -> None:
        """Note the stored version of each row by its id. A row that changed meanwhile has a higher one."""
        rows = self.only("pk").in_bulk(list(versions))
        for row in rows.values():
            row.recorded_version = versions[row.pk]
        self.bulk_update(rows.values(), ["recorded_version"], batch_size=500)


class Recorded(models.Model):
    """version, recorded_version: the number of changes, and the version that is stored as a record."""

    version = models.PositiveIntegerField(default=1)
    recorded_version = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True
