"""The last write to a data set that callbacks reported. Source: docs/callbacks.md."""

from django.db import models

from datasets.models.data_set import DataSet


class SentWrite(models.Model):
    """A row of its own, because requests read all columns of a data set.

    written_at: `DataSet.last_write_at` when `datasets.store.written` last looked
    """

    data_set = models.OneToOneField(DataSet, on_delete=models.CASCADE, primary_key=True, related_name="+")
    written_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Write of {self.data_set_id}"
