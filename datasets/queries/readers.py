"""Who reads: all records of a data set, or of the statistics of Signalbox only those about some services.

Each query is parsed for a reader, whose condition is part of it. So every engine and every form of the answer has it.
Source: docs/reference/statistics.md §7.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from datasets.errors import NoServiceToRead
from datasets.queries.where.conditions import AllOf, Comparison, Condition

FIELD = "service_id"  # of each record about a service


@dataclass(frozen=True, slots=True)
class Reader:
    """services: the ids of the services whose records may be read, in order; None: all records"""

    services: tuple[str, ...] | None

    @property
    def condition(self) -> Condition | None:
        return None if self.services is None else Comparison((FIELD,), "in", self.services)

    def limited(self, where: Condition | None) -> Condition | None:
        """Return the condition of a query with that of the reader."""
        own = self.condition
        if own is None or where is None:
            return own or where
        return AllOf((own, where))


ALL = Reader(None)


def of(services: Iterable[str] | None, *, is_of_product: bool) -> Reader:
    """Return the reader of the records about these services, or of all records.

    services: None for all
    is_of_product: whether the data set has statistics of Signalbox. Others have no records about services, so all of
    their records may be read.
    Raises NoServiceToRead for no services.
    """
    if services is None or not is_of_product:
        return ALL
    found = tuple(sorted(services))
    if not found:
        raise NoServiceToRead
    return Reader(found)
