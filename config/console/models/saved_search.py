"""What somebody has searched for, under an address that tells nothing of it."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from config import sealing

SEARCHES_ARE_KEPT_FOR = timedelta(days=7)  # Staff console §1.2 T1


class SavedSearchQuerySet(models.QuerySet["SavedSearch"]):
    def forget_old(self) -> int:
        """Delete what nobody can open any more. Returns how many."""
        return self.filter(created_at__lt=timezone.now() - SEARCHES_ARE_KEPT_FOR).delete()[0]


class SavedSearch(models.Model):
    """What a person typed into a search box, under a random id: the address of the result carries only that.

    service_id: of the service it was typed for; null is all services
    sealed_term: it may be a recipient, so it stands nowhere in clear (trap T1)
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    service_id = models.UUIDField(null=True)
    kind = models.CharField(max_length=40)
    sealed_term = models.BinaryField()
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = SavedSearchQuerySet.as_manager()

    class Meta:
        db_table = "operations_saved_search"

    def __str__(self) -> str:
        return f"Saved search {str(self.id)[:8]}"

    @property
    def term(self) -> str:
        """Return what was typed. Raises config.sealing.SealBroken."""
        return sealing.unseal(bytes(self.sealed_term), table="saved_search", column="term", row=str(self.id))

    def set_term(self, term: str) -> None:
        """Seal what was typed into this row (not saved)."""
        self.sealed_term = sealing.seal(term, table="saved_search", column="term", row=str(self.id))
