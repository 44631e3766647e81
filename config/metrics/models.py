"""The table that the processes add their counters to."""

from django.db import models


class MetricValue(models.Model):
    """The sum of all processes for one name and one set of labels. config/metrics/registry.py adds to it."""

    name = models.CharField(max_length=60)
    labels = models.TextField()
    value = models.FloatField(default=0)

    class Meta:
        db_table = "metric_value"
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="metric_value_unique")]

    def __str__(self) -> str:
        return self.name
