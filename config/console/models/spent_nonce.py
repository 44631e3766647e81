"""Forms that have shown their secret."""

from django.db import models
from django.utils import timezone


class SpentNonce(models.Model):
    """A form that has made its secret: sent again, it makes no second one. Holds nothing of the secret."""

    nonce = models.UUIDField(primary_key=True)
    spent_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "operations_spent_nonce"

    def __str__(self) -> str:
        return f"Nonce {str(self.nonce)[:8]}"
