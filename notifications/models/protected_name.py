"""Names that only operators give to a service: as a text message sender, or as the name emails come from."""

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone


class ProtectedName(models.Model):
    """One such name, as operators list it; names that read like it are protected too."""

    name = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.CharField(max_length=255, blank=True, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="protected_name_unique")]

    def __str__(self) -> str:
        return self.name
