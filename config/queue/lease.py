"""A lease: the time-limited exclusive right of one process to a row."""

import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any  # rows and columns of any model with `holder` and `seen_at`

from django.db.models import Q, QuerySet
from django.db.models.functions import Now


class LostLease(Exception):
    """Another process has taken the row, because this process did not renew the lease in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right of `holder` to a row, for as long as it renews it within `seconds`.

    The row has `holder`, empty while it is free, and `seen_at`. Times are the database's: the clocks of two machines
    differ. One conditional UPDATE decides between two processes that take the row at once.

    rows: the one row, with conditions that the lease depends on, such as `finished_at=None`
    """

    rows: QuerySet[Any]
    seconds: float
    holder: str = field(default_factory=lambda: str(uuid.uuid4()))

    def take(self) -> bool:
        """Take the row, or keep it. Returns False if another holder was seen within `seconds`."""
        free = Q(holder__in=("", self.holder)) | Q(seen_at__lt=Now() - timedelta(seconds=self.seconds))
        return self.rows.filter(free).update(holder=self.holder, seen_at=Now()) > 0

    def renew(self, **changes: Any) -> None:
        """Store these columns and keep the row. Raises LostLease."""
        if not self.own_row().update(**changes, seen_at=Now()):
            raise LostLease

    def release(self, **changes: Any) -> bool:
        """Store these columns and free the row. Returns False and stores nothing if another holder has the row."""
        return self.own_row().update(**changes, holder="", seen_at=Now()) > 0

    def own_row(self) -> QuerySet[Any]:
        """Return the row if this holder still has it."""
        return self.rows.filter(holder=self.holder)
