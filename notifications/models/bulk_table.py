"""The uploaded table of a bulk send that was made in the console, and what its check found.

Source: docs/reference/console.md §3.4.
"""

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from django.db import models

from config.databases.streaming import streamed
from notifications.models.bulk_send import BulkSend
from notifications.models.template import TemplateVersion

PART_BYTES = 256 * 1024  # of one row: neither the web process nor the database holds the whole file at once


class BulkTable(models.Model):
    """A table of recipients and the state of its draft. The file itself is deleted when the bulk send starts.

    reading, checking: ids of the job runs that read and check the table; null before their start
    read_as: how the file was read, see `bulk_tables.uploads.ReadAs`; blank before it is read, unless it was pasted
    names, sample: the column names and the first rows, for the page that matches columns
    row_count: null before the table is read
    unformatted: names of columns with numbers whose format in the spreadsheet is not known
    error: why the table cannot be read, as shown to staff
    choice: a value that the template needs → the positions of its columns
    fingerprint: of the template and the service as the check used them; blank before the check has ended
    """

    bulk_send = models.OneToOneField(BulkSend, primary_key=True, on_delete=models.CASCADE, related_name="table")
    reading = models.UUIDField(null=True, editable=False)
    checking = models.UUIDField(null=True, editable=False)
    read_as = models.CharField(max_length=12, blank=True, editable=False)
    names = models.JSONField(default=list, editable=False)
    sample = models.JSONField(default=list, editable=False)
    row_count = models.PositiveIntegerField(null=True, editable=False)
    unformatted = models.JSONField(default=list, db_default=[], editable=False)
    error = models.TextField(blank=True, editable=False)
    choice = models.JSONField(default=dict, editable=False)
    fingerprint = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        verbose_name = "table of a bulk send"
        verbose_name_plural = "tables of bulk sends"

    def __str__(self) -> str:
        return f"Table {str(self.pk)[:8]}"

    def version(self) -> TemplateVersion:
        """Return the version of the template that the draft was uploaded or last checked for."""
        return TemplateVersion.objects.select_related("template").get(
            template=self.bulk_send.template_id, number=self.bulk_send.template_version
        )

    def spelled(self) -> dict[str, str]:
        """Return each name of the stored cells with the name of its column in the file."""
        return dict(zip(self.bulk_send.names, self.names, strict=False))

    def forget_file(self) -> None:
        """Delete the file and the first rows. The rows of the bulk send have their own retention."""
        self.parts.all().delete()
        self.sample = []
        self.save(update_fields=["sample"])

    def data(self) -> Iterator[bytes]:
        """Yield the uploaded file in parts."""
        return (bytes(part.data) for part in streamed(self.parts.order_by("number"), chunk_size=8))


class BulkTablePartQuerySet(models.QuerySet["BulkTablePart"]):
    def store(self, table: BulkTable, file: BinaryIO) -> None:
        """Store the rest of a file in parts."""
        for number, data in enumerate(iter(partial(file.read, PART_BYTES), b"")):
            self.create(table=table, number=number, data=data)


class BulkTablePart(models.Model):
    """A part of an uploaded file, which may be read by a worker on another machine."""

    table = models.ForeignKey(BulkTable, on_delete=models.CASCADE, related_name="parts", db_index=False)
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    objects = BulkTablePartQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table", "number"], name="bulk_table_part_unique")]

    def __str__(self) -> str:
        return f"Part {self.number} of table {str(self.table_id)[:8]}"
