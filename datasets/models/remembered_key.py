"""The idempotency keys of writes that stored records."""

from datetime import timedelta

from django.conf import settings
from django.db import models

from config.rest.idempotency import StoredKey
from datasets.models.data_set import DataSet


class RememberedKey(StoredKey):
    """A row is written in the transaction that stores the records. Source: docs/reference/data-sets.md §8."""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["data_set", "key"], name="remembered_key_unique")]

    @staticmethod
    def kept_for() -> timedelta:
        return timedelta(hours=settings.DATASETS_IDEMPOTENCY_HOURS)
