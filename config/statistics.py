"""The statistics that areas count, as records of data sets. The area of data sets stores them as `signalbox/{type}`.

    StatisticsSource(type="messages", changed=…, stored=…)

Each area registers its sources with its parts. Without the area of data sets, nobody asks for the records.
Source: docs/reference/statistics.md §4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

GROUP = "signalbox"
KEPT_DAYS = 730


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsRecord:
    """One record. The same id replaces the record that was stored before.

    row, version: which state of which row it shows, for `stored`
    at: the start of its UTC hour
    fields: JSON values by name
    """

    row: int
    version: int
    id: str
    at: datetime
    fields: dict[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsSource:
    """The records of one area for one data set. Several sources may fill the same data set with different ids.

    changed: return the next records that changed since they were stored, at most so many
    stored:  note that these records are stored; a row that changed meanwhile stays changed
    """

    type: str
    changed: Callable[[int], Sequence[StatisticsRecord]]
    stored: Callable[[Sequence[StatisticsRecord]], None]
