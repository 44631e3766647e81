"""The stores of emptied data sets, whose records wait for deletion."""

from django.db import models
from django.utils import timezone


class EmptiedStore(models.Model):
    """A store that no data set uses any more. The clock deletes its records in batches, then the row.

    The data set continues with the store of the id `-pk`, which no data set has had.
    Source: docs/reference/data-sets.md §9.
    """

    store_id = models.BigIntegerField(unique=True)
    label = models.CharField(max_length=121)
    records = models.BigIntegerField()
    emptied_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"emptied store {self.store_id}"
