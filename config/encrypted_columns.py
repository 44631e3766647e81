"""Find the columns of encrypted values for `rotate_keys` and for the health check of FIELD_KEYS.

Source: docs/reference/security.md §1.
"""

from dataclasses import dataclass

from django.apps import apps
from django.db import models

from config import encryption

BATCH = 500


@dataclass(frozen=True, slots=True)
class EncryptedColumn:
    """One column of one model. It is null in rows without a value."""

    model: type[models.Model]
    column: str

    @property
    def name(self) -> str:
        return f"{self.model._meta.model_name}.{self.column}"

    def can_decrypt(self) -> bool:
        """Return whether FIELD_KEYS decrypt one of the stored values. True if there are none."""
        rows = self.model._default_manager.exclude(**{self.column: None}).values_list(self.column, flat=True)
        return all(encryption.can_decrypt(value) for value in rows[:1])

    def rotate_keys(self) -> int:
        """Encrypt every value with the first of FIELD_KEYS and return their number. Raises DecryptionFailed."""
        count = 0
        rows = self.model._default_manager.exclude(**{self.column: None}).only("pk", self.column).order_by("pk")
        batch = list(rows[:BATCH])
        while batch:
            for row in batch:
                encrypted = bytes(getattr(row, self.column))
                # Update unchanged values only. A value that was written meanwhile already has the first key.
                same = self.model._default_manager.filter(pk=row.pk, **{self.column: encrypted})
                same.update(**{self.column: encryption.rotate(encrypted)})
            count += len(batch)
            batch = list(rows.filter(pk__gt=batch[-1].pk)[:BATCH])
        return count


def all_columns() -> list[EncryptedColumn]:
    """Return the columns of encrypted values of all models: the binary ones whose names start with `encrypted_`."""
    return [
        EncryptedColumn(model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.BinaryField) and field.name.startswith("encrypted_")
    ]
