"""Why a write was refused: place and reason, never what was sent."""

from django.db import models

from datasets.models.data_set import DataSet

KEPT = 20  # of each data set; Staff console §2.15


class WriteRefusalQuerySet(models.QuerySet["WriteRefusal"]):
    def keep(self, refusal: "WriteRefusal") -> None:
        """Store it, and let go of what is older than the newest KEPT of its data set."""
        refusal.save(force_insert=True)
        older = self.filter(data_set_id=refusal.data_set_id).order_by("-pk").values_list("pk", flat=True)[KEPT:]
        self.filter(pk__in=list(older)).delete()


class WriteRefusal(models.Model):
    """One refused POST or PUT of a live token. index and field: of its first fault, if records were at fault."""

    data_set = models.ForeignKey(DataSet, on_delete=models.CASCADE, related_name="refusals")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField()
    index = models.PositiveIntegerField(null=True)
    field = models.CharField(max_length=128, blank=True)
    reason = models.CharField(max_length=255)
    request_id = models.UUIDField(null=True)

    objects = WriteRefusalQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"refusal of data set {self.data_set_id}"
