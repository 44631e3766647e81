"""Keyset pages of the log: "Older" starts after the last message of a page, "Newer" before the first.

The log's index begins with the service, continues in the order of the list, and includes every filtered column.
A page reads the index from its key and stops when it is full, so its cost does not depend on the number of messages.
Source: docs/reference/console.md §1.2 T5, §4.4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from config.databases import keyset
from notifications.models import Notification

OLDER, NEWER = "older", "newer"  # URL parameters
MOST_SERVICES = 100  # services read one by one; for more, one query with a sort costs less
_FORM = "%Y%m%dT%H%M%S%f"

Messages = QuerySet[Notification]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A key in the list: time and id of a message, which may be deleted by now."""

    created_at: datetime
    id: UUID

    @classmethod
    def of(cls, message: Notification) -> Self:
        return cls(created_at=message.created_at, id=message.id)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the output of `str`. Raises ValueError."""
        moment, _, identifier = text.partition(".")
        return cls(created_at=datetime.strptime(moment, _FORM).replace(tzinfo=UTC), id=UUID(identifier))

    def __str__(self) -> str:
        return f"{self.created_at.astimezone(UTC).strftime(_FORM)}.{self.id.hex}"

    def below(self) -> Q:
        """Match older messages."""
        return keyset.below(self.created_at, self.id)

    def above(self) -> Q:
        """Match newer messages."""
        return keyset.above(self.created_at, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """A page of the log, newest message first. older, newer: the keys of the neighbouring pages."""

    messages: list[Notification]
    older: Place | None = None
    newer: Place | None = None


def place(parameters: Mapping[str, str], name: str) -> Place | None:
    """Return the key in a URL parameter. Raises ValueError."""
    text = parameters.get(name)
    return Place.parse(text) if text else None


def page(parts: Sequence[Messages], whole: Messages, size: int, *, below: Place | None, above: Place | None) -> LogPage:
    """Return the page below or above a key, or the first page.

    parts: the filtered rows, one queryset for each service
    whole: the unfiltered rows, which are read by id; filters could make the database choose another index
    """
    if above is not None:
        found = _open(whole, _ids([part.filter(above.above()) for part in parts], size + 1, oldest_first=True))
        if len(found) > size:
            shown = found[1:]
            return LogPage(messages=shown, older=Place.of(shown[-1]), newer=Place.of(shown[0]))
        below = None  # fewer rows above than a page holds: show the first page
    found = _open(whole, _ids([part.filter(below.below()) if below else part for part in parts], size + 1))
    shown = found[:size]
    return LogPage(
        messages=shown,
        older=Place.of(shown[-1]) if len(found) > size else None,
        newer=Place.of(shown[0]) if below and shown else None,
    )


def _ids(parts: Sequence[Messages], most: int, *, oldest_first: bool = False) -> list[UUID]:
    """Return the ids of the first `most` rows of all parts. One statement reads up to `most` rows of each part."""
    order = ("created_at", "id") if oldest_first else ("-created_at", "-id")
    first = [part.order_by(*order).values_list("created_at", "pk")[:most] for part in parts]
    if not first:
        return []
    if len(first) == 1:
        return [identifier for _, identifier in first[0]]
    compiled = [rows.query.sql_with_params() for rows in first]
    # Raw SQL: on SQLite, Django's union() rejects parts with a limit.
    every = " UNION ALL ".join(f"SELECT * FROM ({sql}) AS part" for sql, _ in compiled)  # noqa: S608  the ORM's SQL
    direction = "ASC" if oldest_first else "DESC"
    with connection.cursor() as cursor:
        cursor.execute(
            f"{every} ORDER BY 1 {direction}, 2 {direction} LIMIT {most:d}",
            [value for _, values in compiled for value in values],
        )
        return [UUID(str(identifier)) for _, identifier in cursor.fetchall()]


def _open(whole: Messages, ids: Sequence[UUID]) -> list[Notification]:
    """Return these messages, newest first. Messages deleted in the meantime are left out."""
    found = whole.order_by().in_bulk(ids)
    return sorted(found.values(), key=lambda message: (message.created_at, message.id), reverse=True)
