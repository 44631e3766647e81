"""The columns of encrypted values: for `rotate_keys`, and for the check that FIELD_KEYS still decrypt them.

Source: docs/reference/security.md §1.
"""

from dataclasses import dataclass

from django.db import models

from config import encryption

BATCH = 500


@dataclass(frozen=True, slots=True)
class EncryptedColumn:
    """One column of one model; rows without a value hold null in it."""

    model: type[models.Model]
    column: str

    @property
    def name(self) -> str:
        return f"{self.model._meta.model_name}.{self.column}"

    def can_decrypt(self) -> bool:
        """Return whether a stored value, any of them, can be decrypted; also where there is none."""
        rows = self.model._default_manager.exclude(**{self.column: None}).values_list(self.column, flat=True)
        return all(encryption.can_decrypt(value) for value in rows[:1])

    def rotate_keys(self) -> int:
        """Encrypt every value under the newest of FIELD_KEYS; returns how many. Raises DecryptionFailed."""
        count = 0
        rows = self.model._default_manager.exclude(**{self.column: None}).only("pk", self.column).order_by("pk")
        for row in rows.iterator(BATCH):
            encrypted = bytes(getattr(row, self.column))
            # Unchanged values only: a value that was written meanwhile is under the newest key already.
            same = self.model._default_manager.filter(pk=row.pk, **{self.column: encrypted})
            same.update(**{self.column: encryption.rotate(encrypted)})
            count += 1
        return count
