"""The descriptions of a kind of personal rows: of one model, and of the records of another area.

Source: docs/reference/erasing.md §2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from config import personal_records
from config.databases.streaming import streamed
from notifications.one_person.person import Person
from notifications.one_person.searching import Search

_AT_ONCE = 500

Record = dict[str, Any]  # Any: values of columns, which the export writes as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalRows:
    """Rows of one model.

    name: in the export and in the audit; title: on the page
    rows: returns the rows of a person; record: what the export has of one row
    """

    name: str
    title: str
    rows: Callable[[Person], QuerySet[Any]]
    record: Callable[[Any], Record]

    def count(self, person: Person) -> int:
        return self.rows(person).order_by().count()

    def records(self, person: Person) -> Iterator[Record]:
        for row in streamed(self.rows(person).order_by("pk"), chunk_size=_AT_ONCE):
            yield self.record(row)


class RecordsOfDataSets(PersonalRows):
    """The records of data sets that are marked as personal. Only a search in all services finds them."""

    def count(self, person: Person) -> int:
        return personal_records.count(Search(person)) if person.service is None else 0

    def records(self, person: Person) -> Iterator[Record]:
        return personal_records.export(Search(person)) if person.service is None else iter(())
