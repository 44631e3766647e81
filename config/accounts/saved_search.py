"""The stored search terms of the console. Source: docs/reference/console.md §1.2 T1."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from config import encryption

SEARCHES_ARE_KEPT_FOR = timedelta(days=7)


class SavedSearch(models.Model):
    """A search term under a random id, so that the URL of the result does not contain the term.

    service_id: the service that was searched; null for all services
    encrypted_term: encrypted, because it may be a recipient
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    service_id = models.UUIDField(null=True)
    kind = models.CharField(max_length=40)
    encrypted_term = models.BinaryField()
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        app_label = "operations"  # the console's migrations create the table
        db_table = "operations_saved_search"

    def __str__(self) -> str:
        return f"Saved search {str(self.id)[:8]}"

    @property
    def term(self) -> str:
        """Return the decrypted term. Raises config.encryption.DecryptionFailed."""
        return encryption.decrypt(bytes(self.encrypted_term), table="saved_search", column="term", row=str(self.id))

    def set_term(self, term: str) -> None:
        """Encrypt the term into this row without saving the row."""
        self.encrypted_term = encryption.encrypt(term, table="saved_search", column="term", row=str(self.id))
