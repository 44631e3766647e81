"""Which fields the records of a data set have, as far as somebody has looked."""

from django.conf import settings
from django.db import models

from datasets.models.data_set import DataSet
from datasets.models.fields import CodePointTextField


class FieldSeen(models.Model):
    """One field of the records looked at last. Source: Staff console §2.15.

    types: words in the order of values, such as ["number", "text"]; filled_percent: of the records looked at;
    example: one value as JSON, cut, taken from a record that was there then; "" once no such record was found.
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
    """The fields one person wants to see in the list of one data set's records."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="+")
    names = models.JSONField(default=list)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "data_set"], name="chosen_columns_unique")]

    def __str__(self) -> str:
        return f"columns of data set {self.data_set_id}"
