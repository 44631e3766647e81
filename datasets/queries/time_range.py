"""A range of `_timestamp`."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """None is without end. `inclusive` includes its end."""

    start_at: datetime | None
    end_at: datetime | None
    inclusive: bool = False
