"""Drafts of bulk sends whose uploaded table has the person. They are deleted, because a spreadsheet cannot be edited.

Source: docs/reference/erasing.md §3.
"""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from notifications.bulk_tables import files
from notifications.bulk_tables.tables import Cell, UnreadableTable
from notifications.bulk_tables.uploads import ReadAs
from notifications.models import BulkRow, BulkSend, BulkState, BulkTable
from notifications.one_person.person import Person


def checked(person: Person) -> QuerySet[BulkSend]:
    """Return the drafts whose rows have the recipient. Rows exist once the console has checked the table."""
    drafts = person.here(BulkSend.objects.filter(state=BulkState.DRAFT))
    rows = BulkRow.objects.filter(bulk_send__in=drafts, normalised_recipient__in=person.keys)
    return drafts.filter(pk__in=rows.values("bulk_send"))


def of(person: Person) -> QuerySet[BulkSend]:
    """Return the drafts whose rows or uploaded file have the recipient. It reads all files, which may take long."""
    drafts = person.here(BulkSend.objects.filter(state=BulkState.DRAFT))
    found = [table.pk for table in BulkTable.objects.filter(bulk_send__in=drafts) if _has(table, person)]
    return drafts.filter(Q(pk__in=found) | Q(pk__in=checked(person).values("pk")))


def _has(table: BulkTable, person: Person) -> bool:
    is_pasted = table.read_as == ReadAs.PASTED
    try:
        read = files.read(table.data(), limits=files.IN_A_WORKER, is_pasted=is_pasted).table
    except (UnreadableTable, UnicodeDecodeError):
        return person.mentions.are_in(b"".join(table.data()).decode(errors="replace"))
    return _is_in(read.names, person) or any(_is_in(cells, person) for cells in read.rows)


def _is_in(cells: Sequence[Cell], person: Person) -> bool:
    texts = (text for cell in cells for text in (cell if isinstance(cell, list) else [cell or ""]))
    return any(person.mentions.are_in(text) for text in texts)
