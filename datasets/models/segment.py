"""The segments of large data sets: ranges of time whose records a column file may hold as a copy."""

from datetime import UTC, datetime

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


class SegmentQuerySet(models.QuerySet["Segment"]):
    def built(self) -> "SegmentQuerySet":
        return self.filter(is_built=True)

    def overlapping(self, start_at: datetime | None, end_at: datetime | None) -> "SegmentQuerySet":
        """Return the segments that may hold records of this range, whose end may be inclusive."""
        found = self if start_at is None else self.filter(ends_at__gt=start_at)
        return found if end_at is None else found.filter(starts_at__lte=end_at)

    def note_change(self) -> int:
        """Open these segments: their records have changed. Runs in the transaction of the change."""
        return self.update(
            is_built=False,
            file="",
            version=F("version") + 1,
            changed_at=Now(),
            opened_at=models.Case(models.When(is_built=True, then=Now()), default=F("opened_at")),
        )


class Segment(models.Model):
    """One range of `_timestamp` of a store, from `starts_at` and before `ends_at`.

    Source: docs/reference/column-files.md.

    The segments of a store cover all time before `DataSet.columns_until`; what comes later is read from the row store.
    The borders are whole seconds.

    file: the name of the column file, which has exactly the records of the range; "" if it is open, or has no records
    columns: the names of the columns in the file
    records: the number of records when the segment was built or cut
    version: grows with each change, so that a file of earlier records is never used
    opened_at: the first change since it was built; changed_at: the last one
    """

    store_id = models.BigIntegerField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    is_built = models.BooleanField(default=False)
    file = models.CharField(max_length=100, blank=True)
    columns = models.JSONField(default=list)
    records = models.BigIntegerField()
    size_bytes = models.BigIntegerField(default=0)
    version = models.BigIntegerField(default=0)
    opened_at = models.DateTimeField(db_default=Now())
    changed_at = models.DateTimeField(db_default=Now())

    objects = SegmentQuerySet.as_manager()

    class Meta:
        ordering = ["store_id", "starts_at"]
        constraints = [
            models.UniqueConstraint(fields=["store_id", "starts_at"], name="segment_start_unique"),
            models.CheckConstraint(condition=Q(starts_at__lt=F("ends_at")), name="segment_range_not_empty"),
            models.CheckConstraint(condition=Q(is_built=True) | Q(file=""), name="segment_open_without_file"),
        ]

    def __str__(self) -> str:
        return f"segment of store {self.store_id}"
