"""The records that a write with `on_error=keep` did not store."""

import json
import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

from config import encryption
from datasets.models.data_set import DataSet
from datasets.records.keeping import MAX_REJECTED, RejectedElement

REJECTED_KEPT_FOR = timedelta(days=7)
_AT_ONCE = 100  # rows in one statement; one may have 350 kB


class RejectedRecordQuerySet(models.QuerySet["RejectedRecord"]):
    def waiting(self, data_set_id: int) -> Self:
        """Return the rejected records of a data set, the newest first, and those of one body in its order."""
        return self.filter(data_set_id=data_set_id, at__gt=Now() - REJECTED_KEPT_FOR).order_by("-at", "index", "pk")

    def past(self) -> Self:
        return self.filter(at__lte=Now() - REJECTED_KEPT_FOR)

    def keep(self, data_set_id: int, rows: Sequence["RejectedRecord"]) -> None:
        """Store the rows of one body, and delete all but the newest MAX_REJECTED of the data set."""
        self.bulk_create(rows, batch_size=_AT_ONCE)
        mine = self.filter(data_set_id=data_set_id)
        if mine.count() > MAX_REJECTED:
            newest = mine.order_by("-at", "index", "pk").values_list("pk", flat=True)
            beyond = list(newest[MAX_REJECTED:])
            for first in range(0, len(beyond), _AT_ONCE):
                self.filter(pk__in=beyond[first : first + _AT_ONCE]).delete()


class RejectedRecord(models.Model):
    """One rejected element. Source: docs/reference/data-sets.md §21.

    index: in its body
    encrypted_content: the element as it was sent and the reasons, as JSON
    by: the beginning of the token
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="rejected_records", db_index=False)
    at = models.DateTimeField()
    index = models.PositiveIntegerField()
    encrypted_content = models.BinaryField()
    by = models.CharField(max_length=255)
    request_id = models.UUIDField(null=True)

    objects = RejectedRecordQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["data_set", "-at", "index"], name="rejected_record_newest"),
            models.Index(fields=["at"], name="rejected_record_at"),
        ]

    def __str__(self) -> str:
        return f"rejected record of data set {self.data_set_id}"

    def encrypt(self, element: RejectedElement) -> None:
        content = json.dumps([element.reasons, element.text])
        self.encrypted_content = encryption.encrypt(content, **self._cell)

    def element(self) -> RejectedElement:
        """Raises DecryptionFailed."""
        reasons, text = json.loads(encryption.decrypt(bytes(self.encrypted_content), **self._cell))
        return RejectedElement(self.index, [(field, message) for field, message in reasons], text)

    @property
    def _cell(self) -> dict[str, str]:
        return {"table": "rejected_record", "column": "content", "row": str(self.pk)}
