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
        rows = self.model._default_manager.exclude(**{self.column: None}).order_by("pk")
        keys = list(rows.values_list("pk", flat=True)[:BATCH])
        while keys:
            for key in keys:
                count += self._rotate(key)
            keys = list(rows.filter(pk__gt=keys[-1]).values_list("pk", flat=True)[:BATCH])
        return count

    def _rotate(self, key: object) -> int:
        """Encrypt the value of one row. It is read by itself, because the file of a template may take 3.6 MB."""
        row = self.model._default_manager.filter(pk=key).exclude(**{self.column: None})
        encrypted = row.values_list(self.column, flat=True).first()
        if encrypted is None:  # removed meanwhile
            return 0
        # Update an unchanged value only. A value that was written meanwhile already has the first key.
        same = self.model._default_manager.filter(pk=key, **{self.column: bytes(encrypted)})
        same.update(**{self.column: encryption.rotate(bytes(encrypted))})
        return 1


def all_columns() -> list[EncryptedColumn]:
    """Return the columns of encrypted values of all models: the binary ones whose names start with `encrypted_`."""
    return [
        EncryptedColumn(model, field.name)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.BinaryField) and field.name.startswith("encrypted_")
    ]
