"""The stores of emptied data sets, whose records wait for *Undo* or deletion."""

from django.db import models
from django.utils import timezone

from datasets.models.data_set import DataSet


class EmptiedStore(models.Model):
    """A store that its data set used before it was emptied. The clock deletes its records in batches, then the row.

    data_set: null if nobody can bring the records back any more

    The data set continues with the store of the id `-pk`, which no data set has had.
    Source: docs/reference/data-sets.md §9.
    """

    store_id = models.BigIntegerField(unique=True)
    data_set = models.ForeignKey(DataSet, null=True, on_delete=models.SET_NULL, related_name="emptied_stores")
    label = models.CharField(max_length=121)
    records = models.BigIntegerField()
    emptied_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"emptied store {self.store_id}"
