"""Read an uploaded table: its column names, its first rows and the number of its rows.

Small files are read during the request. A worker reads the others, because the web process must not hold a large file.
"""

from collections.abc import Iterator

from django.db import transaction
from django.utils import timezone

from config.jobs.bulk import BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from notifications.admin.bulk_sends import drafts
from notifications.admin.bulk_sends.drafts import Superseded, own
from notifications.bulk_tables import mapping, spreadsheets, uploads
from notifications.bulk_tables.tables import Table, Unreadable
from notifications.models import BulkSend, BulkTable, Channel
from notifications.models.bulk_table import PART_BYTES
from notifications.rendering import placeholders

SAMPLE_ROWS = 3
SAMPLE_CHARACTERS = 200  # of one cell
SMALL_UNPACKED_BYTES = 4 * 1024 * 1024
KIND = "read-bulk-table"
PASTED = "pasted"  # BulkTable.read_as of cells that were not uploaded as a file


def is_small(data: bytes) -> bool:
    """Return whether the web process may read this file itself."""
    if len(data) > PART_BYTES:
        return False
    return not spreadsheets.is_archive(data) or spreadsheets.unpacked_bytes(data) <= SMALL_UNPACKED_BYTES


def open_table(table: BulkTable) -> tuple[Table, str]:
    """Return the table of the stored file, and how it was read. Raises Unreadable, also while rows are read."""
    data = table.data()
    if table.read_as == PASTED:
        return uploads.from_pasted(data.decode()), PASTED
    upload = uploads.from_file(data)
    return upload.table, upload.read_as


def read(table: BulkTable) -> None:
    """Read the whole file, and set what the page that matches columns shows. Raises Unreadable."""
    found, table.read_as = open_table(table)
    table.names = found.names
    table.row_count = 0
    for row in found.rows:
        if table.row_count < SAMPLE_ROWS:
            cells = [", ".join(cell) if isinstance(cell, list) else cell or "" for cell in row]
            table.sample.append([cell[:SAMPLE_CHARACTERS] for cell in cells])
        table.row_count += 1
    text = drafts.text_of(table)
    names = placeholders.find(text.subject, text.content)
    is_email = table.bulk_send.channel == Channel.EMAIL
    table.choice = mapping.guess(table.names, names, is_email=is_email)


def _read(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    """Read the file before the first transaction, because it may take seconds."""
    if run.position:
        return iter(())
    table = BulkTable.objects.select_related("bulk_send__template").get(pk=run.arguments["bulk_send"])
    try:
        read(table)
    except Unreadable as error:
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


def read_now(table: BulkTable) -> None:
    """Read a small file and store the result. Raises Unreadable."""
    read(table)
    with transaction.atomic():
        table.save()
