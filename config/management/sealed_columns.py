"""The columns of encrypted values: for `rotate_keys`, and for the check that FIELD_KEYS still decrypt them.

Source: Security and reliability §1.
"""

from dataclasses import dataclass

from django.db import models

from config import sealing
from config.accounts.models import TotpDevice
from config.console.models import Invite

BATCH = 500


@dataclass(frozen=True, slots=True)
class SealedColumn:
    """One column of one model; rows without a value hold null in it."""

    model: type[models.Model]
    column: str

    @property
    def name(self) -> str:
        return f"{self.model._meta.model_name}.{self.column}"

    def opens(self) -> bool:
        """Return whether a stored value, any of them, can be decrypted; also where there is none."""
        rows = self.model._default_manager.exclude(**{self.column: None}).values_list(self.column, flat=True)
        return all(sealing.opens(value) for value in rows[:1])

    def reseal(self) -> int:
        """Encrypt every value under the newest of FIELD_KEYS; returns how many. Raises SealBroken."""
        count = 0
        rows = self.model._default_manager.exclude(**{self.column: None}).only("pk", self.column).order_by("pk")
        for row in rows.iterator(BATCH):
            sealed = bytes(getattr(row, self.column))
            # Only where it is still what was read: what somebody has sealed meanwhile is under the newest key already.
            same = self.model._default_manager.filter(pk=row.pk, **{self.column: sealed})
            same.update(**{self.column: sealing.reseal(sealed)})
            count += 1
        return count


PLATFORM = (SealedColumn(TotpDevice, "sealed_key"), SealedColumn(Invite, "sealed_token"))
