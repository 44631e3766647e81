"""Read an uploaded table: its column names, its first rows and the number of its rows.

Small files are read during the request, and others by a worker.
"""

import io
from collections.abc import Iterator

from django.utils import timezone

from config.jobs.bulk import BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from config.limited import ProcessLimits
from notifications import errors
from notifications.admin.bulk_sends import drafts
from notifications.admin.bulk_sends.drafts import Superseded, own
from notifications.bulk_tables import files, mapping, spreadsheets
from notifications.bulk_tables.files import FileTable
from notifications.bulk_tables.tables import MAX_COLUMNS, UnreadableTable
from notifications.bulk_tables.uploads import ReadAs
from notifications.models import BulkSend, BulkTable, Channel
from notifications.models.bulk_table import PART_BYTES
from notifications.rendering import placeholders

SAMPLE_ROWS = 3
SAMPLE_CHARACTERS = 200  # of one cell
SMALL_UNPACKED_BYTES = 2 * 1024 * 1024  # takes about a second
EMPTY = "The file is empty. Choose a file with the column names in its first row."
KIND = "read-bulk-table"


def is_small(data: bytes) -> bool:
    """Return whether this file may be read during the request. Raises Unreadable."""
    if len(data) > PART_BYTES:
        return False
    return not spreadsheets.is_archive(data) or spreadsheets.unpacked_bytes(io.BytesIO(data)) <= SMALL_UNPACKED_BYTES


def open_table(table: BulkTable, limits: ProcessLimits) -> FileTable:
    """Return the table of the stored file. Raises Unreadable."""
    return files.read(table.data(), limits=limits, is_pasted=table.read_as == ReadAs.PASTED)


def read(table: BulkTable, found: FileTable) -> None:
    """Set what the page that matches columns shows of the whole file. Raises Unreadable."""
    names = found.table.names
    if not names:
        raise UnreadableTable(EMPTY)
    if sum(map(bool, names)) > MAX_COLUMNS:
        raise UnreadableTable(errors.TooManyColumns.text.format(limit=MAX_COLUMNS))
    table.names, table.read_as, table.unformatted = names, found.read_as, found.unformatted
    table.row_count = 0
    for row in found.table.rows:
        if table.row_count < SAMPLE_ROWS:
            cells = [", ".join(cell) if isinstance(cell, list) else cell or "" for cell in row]
            table.sample.append([cell[:SAMPLE_CHARACTERS] for cell in cells])
        table.row_count += 1
    text = drafts.text_of(table)
    needed = placeholders.find(text.subject, text.content)
    is_email = table.bulk_send.channel == Channel.EMAIL
    table.choice = mapping.guess(names, needed, is_email=is_email)


def _read(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    """Read the file before the first transaction, because it may take seconds."""
    if run.position:
        return iter(())
    table = BulkTable.objects.select_related("bulk_send__template").get(pk=run.arguments["bulk_send"])
    try:
        read(table, open_table(table, files.IN_A_WORKER))
    except UnreadableTable as error:
        table.row_count, table.error = None, str(error)
    return _store(run, table)


def _store(run: BulkJobRun, table: BulkTable) -> Iterator[Batch]:
    try:
        own(table, reading=run.pk)
    except Superseded:
        return
    table.save()
    BulkSend.objects.filter(pk=table.pk).update(updated_at=timezone.now())
    yield Batch(passed=1, number=1)


READ = BulkJob(name=KIND, verb="Read", noun="file", done="read", work=_read)
