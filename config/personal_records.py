"""Records of an area that may be about a person, which the erasure of the person finds, exports and deletes.

Areas do not import each other: the area with the records registers a part, and the erasure passes a search to it.
Source: docs/reference/erasing.md §3.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import QuerySet

from config import areas


class RecordSearch(Protocol):
    """The search for one recipient in texts."""

    def are_in(self, text: str) -> bool:
        """Return whether a text has the recipient."""
        ...

    def may_have(self, rows: QuerySet[Any], names: Sequence[str]) -> QuerySet[Any]:
        """Return the rows that may have the recipient in one of these columns."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalRecords:
    """The records of an area.

    count: return how many have the recipient; export: yield each of them; erase: delete them and yield the number of
    each batch, which the caller gives a transaction
    """

    count: Callable[[RecordSearch], int]
    export: Callable[[RecordSearch], Iterator[dict[str, Any]]]
    erase: Callable[[RecordSearch], Iterator[int]]


def count(search: RecordSearch) -> int:
    return sum(part.count(search) for part in areas.parts(PersonalRecords))


def export(search: RecordSearch) -> Iterator[dict[str, Any]]:
    for part in areas.parts(PersonalRecords):
        yield from part.export(search)


def erase(search: RecordSearch) -> Iterator[int]:
    for part in areas.parts(PersonalRecords):
        yield from part.erase(search)
