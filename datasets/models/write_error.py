"""The log of refused writes: position and reason, never the content."""

from django.db import models

from datasets.models.data_set import DataSet

KEPT = 20  # of each data set; Staff console §2.15


class WriteErrorQuerySet(models.QuerySet["WriteError"]):
    def keep(self, error: "WriteError") -> None:
        """Store the error and delete all but the newest KEPT errors of its data set."""
        error.save(force_insert=True)
        older = self.filter(data_set_id=error.data_set_id).order_by("-pk").values_list("pk", flat=True)[KEPT:]
        self.filter(pk__in=list(older)).delete()


class WriteError(models.Model):
    """One refused POST or PUT with a valid token. index, field: of the first rejection, if records were rejected."""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="write_errors")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField()
    index = models.PositiveIntegerField(null=True)
    field = models.CharField(max_length=128, blank=True)
    reason = models.CharField(max_length=255)
    request_id = models.UUIDField(null=True)

    objects = WriteErrorQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"write error of data set {self.data_set_id}"
