"""The field names found in a sample of the records, and the columns that a person chose to see."""

from django.conf import settings
from django.db import models

from datasets.models.data_set import DataSet
from datasets.models.fields import CodePointTextField


class FieldSeen(models.Model):
    """One field of the last sample of records. Source: docs/reference/console.md §2.15.

    types: such as ["number", "text"]
    filled_percent: the share of the sampled records that have a value
    example: one value as JSON, shortened; "" if no sampled record has the field
    """

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="fields_seen", db_index=False)
    name = CodePointTextField()
    types = models.JSONField(default=list)
    filled_percent = models.PositiveSmallIntegerField(default=0)
    example = models.TextField(blank=True)

    class Meta:
        ordering = ["-filled_percent", "name"]
        constraints = [models.UniqueConstraint(fields=["data_set", "name"], name="field_seen_unique")]

    def __str__(self) -> str:
        return f"field of data set {self.data_set_id}"


class ChosenColumns(models.Model):
    """The fields that one person sees as columns in the list of one data set's records."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="+")
    names = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "data_set"], name="chosen_columns_unique")]

    def __str__(self) -> str:
        return f"columns of data set {self.data_set_id}"
