"""Names that only operators may give to a service, as its name or as a text message sender."""

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone


class ProtectedName(models.Model):
    """A protected name. Names that look like it are protected too."""

    name = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="protected_name_unique")]

    def __str__(self) -> str:
        return self.name
