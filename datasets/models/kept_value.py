"""The earlier values of records that were changed or deleted one by one."""

import json
import uuid
from datetime import datetime, timedelta
from typing import NamedTuple, Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from config import encryption
from config.audit.reads import id_of_record
from datasets.models.data_set import DataSet
from datasets.models.record import Record
from datasets.records import moments

KEPT_VALUES_FOR = timedelta(days=7)
MAX_KEPT_VALUES = 100_000  # of each data set


class RecordValue(NamedTuple):
    """One record without its origin. Moments have the format of answers; `body` is the text that is stored."""

    record_id: str
    timestamp: str
    start_at: str | None
    end_at: str | None
    body: str

    @classmethod
    def of(cls, record: Record) -> Self:
        start, end = (None if at is None else moments.write(at) for at in (record.start_at, record.end_at))
        return cls(record.record_id, moments.write(record.timestamp), start, end, record.body)

    def moments(self) -> dict[str, datetime | None]:
        """Return the values of the columns of moments."""
        start, end = (None if at is None else moments.parse(at) for at in (self.start_at, self.end_at))
        return {"timestamp": moments.parse(self.timestamp), "start_at": start, "end_at": end}

    def fields(self) -> dict[str, object]:
        """Return the record as a caller sends it."""
        own = {"_id": self.record_id, "_timestamp": self.timestamp, "_start_at": self.start_at, "_end_at": self.end_at}
        sent: dict[str, object] = {name: value for name, value in own.items() if value is not None}
        sent.update(json.loads(self.body))
        return sent


class KeptValueQuerySet(models.QuerySet["KeptValue"]):
    def of_record(self, data_set_id: int, record_id: str) -> Self:
        """Return the kept values of one record, the newest first."""
        return self.restorable(data_set_id).filter(record_hash=id_of_record(data_set_id, record_id))

    def restorable(self, data_set_id: int) -> Self:
        return self.filter(data_set_id=data_set_id, at__gt=Now() - KEPT_VALUES_FOR).order_by("-at", "-pk")

    def past(self) -> Self:
        """Return the values that are no longer kept, because of their age or their number."""
        is_past = models.Q(at__lte=Now() - KEPT_VALUES_FOR)
        numbers = self.order_by().values_list("data_set_id").annotate(number=models.Count("pk"))
        for data_set_id, _ in numbers.filter(number__gt=MAX_KEPT_VALUES):
            newest = self.filter(data_set_id=data_set_id).order_by("-at").values_list("at", flat=True)
            is_past |= models.Q(data_set_id=data_set_id, at__lt=newest[MAX_KEPT_VALUES - 1])
        return self.filter(is_past)


class KeptValue(models.Model):
    """The value that a record had before one change or deletion. Source: docs/reference/data-sets.md §20.

    record_hash: the id of the record in the read log, because its `_id` may be personal data
    encrypted_value: a RecordValue as a JSON array
    by: the person or the beginning of the token
    """

    class ValueChange(models.TextChoices):
        CHANGED = "changed"
        DELETED = "deleted"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="kept_values", db_index=False)
    record_hash = models.CharField(max_length=32)
    encrypted_value = models.BinaryField()
    change = models.CharField(max_length=7, choices=ValueChange)
    at = models.DateTimeField(default=timezone.now)
    by = models.CharField(max_length=255)
    reason = models.CharField(max_length=200, blank=True)

    objects = KeptValueQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["data_set", "record_hash", "-at"], name="kept_value_of_record"),
            models.Index(fields=["data_set", "-at"], name="kept_value_newest"),
            models.Index(fields=["at"], name="kept_value_at"),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(change__in=["changed", "deleted"]), name="kept_value_change")
        ]

    def __str__(self) -> str:
        return f"kept value of data set {self.data_set_id}"

    def encrypt(self, value: RecordValue) -> None:
        """Set the value, and the record that it belongs to."""
        self.record_hash = id_of_record(self.data_set_id, value.record_id)
        self.encrypted_value = encryption.encrypt(json.dumps(value), **self._cell)

    def value(self) -> RecordValue:
        """Raises DecryptionFailed."""
        return RecordValue(*json.loads(encryption.decrypt(bytes(self.encrypted_value), **self._cell)))

    @property
    def _cell(self) -> dict[str, str]:
        return {"table": "kept_value", "column": "value", "row": str(self.pk)}
