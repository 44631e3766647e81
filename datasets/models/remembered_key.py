"""An `Idempotency-Key` that stored something."""

from django.db import models

from datasets.models.data_set import DataSet
from datasets.models.fields import CodePointTextField


class RememberedKey(models.Model):
    """Written in the transaction that stores the records, kept for 24 hours. Source: Data Set contract §8."""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = CodePointTextField()
    fingerprint = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["data_set", "key"], name="remembered_key_unique")]
        indexes = [models.Index(fields=["created_at"], name="remembered_key_age")]

    def __str__(self) -> str:
        return f"key of data set {self.data_set_id}"
