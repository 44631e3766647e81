"""Pages of millions of messages: which rows a page holds is read from one index, and only those rows are opened.

The index of the log begins with service, status and key type and goes on in the order of the list, with every other
column a filter looks at. So each three of them are a stretch in order already; a page is the newest of all stretches.
Source: Staff console §1.2 T5, §4.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any
from uuid import UUID

from django.core.paginator import Page
from django.db.models import QuerySet
from django.utils.functional import cached_property

from config.console.paginator import MOST_COUNTED, CappedPaginator
from notifications.models import Notification

MOST_STRETCHES = 240  # of ten services; beyond it one query that sorts costs less than many that need not
_NEWEST_FIRST = ("-created_at", "-id")

Place = tuple[datetime, UUID]
Stretch = tuple[UUID, str, str]


class MessagePaginator(CappedPaginator):
    """Reads ids, then opens the rows of a page by them.

    stretches: service, status and kind of key of all the list may hold, so that each stretch is read by itself; one
    that the filters leave out would be read to its end and hold nothing
    of_stretches: the list's rows without those three conditions
    whole: what the rows are opened from, without the filters, which would lead a database to another index
    """

    def __init__(
        self,
        object_list: Any,
        per_page: int,
        *args: Any,
        stretches: Sequence[Stretch],
        of_stretches: QuerySet[Notification],
        whole: QuerySet[Notification],
        **kwargs: Any,
    ):
        super().__init__(object_list, per_page, *args, **kwargs)
        self._stretches = stretches
        self._of_stretches = of_stretches
        self._whole = whole

    def page(self, number: int | str) -> Page[Notification]:
        number = self.validate_number(number)
        if not self.count:
            return Page([], number, self)
        first = (number - 1) * self.per_page
        places = list(islice(self._places(first + self.per_page), first, None))
        found = self._whole.order_by().in_bulk([identifier for _, identifier in places])
        # A row may be deleted between the two reads.
        listed = [found[pk] for _, pk in places if pk in found]
        return Page(listed, number, self)

    @cached_property
    def _counted(self) -> int:
        return counted(self.object_list)  # type: ignore[arg-type]  # as above

    def _places(self, most: int) -> Iterator[Place]:
        """Return moment and id of the newest `most` rows, newest first."""
        stretches: list[QuerySet[Notification]] = [self.object_list]  # type: ignore[list-item]  # a list's is one
        if 0 < len(self._stretches) <= MOST_STRETCHES:
            threes = self._stretches
            rows = self._of_stretches
            stretches = [rows.filter(service=one, status=status, key_type=kind) for one, status, kind in threes]
        read = [list(one.order_by(*_NEWEST_FIRST).values_list("created_at", "pk")[:most]) for one in stretches]
        return islice(merge(*read, reverse=True), most)


def counted(rows: QuerySet[Notification]) -> int:
    """Return how many rows there are, but stop counting beyond what is shown."""
    return rows.order_by().values_list("pk")[: MOST_COUNTED + 1].count()
