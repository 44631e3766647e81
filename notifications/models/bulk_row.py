"""The rows of bulk sends. Source: docs/reference/bulk-sending.md §2, §3."""

import json
from collections.abc import Iterable
from typing import Self

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.models import Q
from django.db.models.functions import Now

from config.databases.prepared import prepared_cursor
from notifications.models.bulk_send import BulkSend
from notifications.recipients import phone

ROWS_A_STATEMENT = 5_000


class RowState(models.TextChoices):
    """The state of a row. The names are those of the counters of BulkSend, except `message` and `unchecked`."""

    UNCHECKED = "unchecked"
    WAITING = "waiting"
    MESSAGE = "message"
    CANCELLED = "cancelled"
    SIMULATED = "simulated"
    REPEAT = "repeat"
    LEFT_OUT = "left_out"


class BulkRowQuerySet(models.QuerySet["BulkRow"]):
    def store(self, bulk_send: BulkSend, lines: Iterable[bytes]) -> None:
        """Insert rows that `BulkRow.line` has written: ROWS_A_STATEMENT with each statement.

        The database takes a statement's rows as one JSON array: 5,000 model instances took four times as long, while
        SQLite's other writers wait.
        """
        batch: list[bytes] = []
        for line in lines:
            batch.append(line)
            if len(batch) == ROWS_A_STATEMENT:
                self._store(bulk_send, batch)
                batch.clear()
        if batch:
            self._store(bulk_send, batch)

    def due(self) -> Self:
        """Return the rows that may become messages now, in the order of the table."""
        return self.filter(Q(not_before=None) | Q(not_before__lte=Now()), state=RowState.WAITING).order_by("number")

    def _store(self, bulk_send: BulkSend, batch: list[bytes]) -> None:
        connection = connections[DEFAULT_DB_ALIAS]
        owner = BulkRow._meta.get_field("bulk_send").get_db_prep_save(bulk_send.pk, connection)
        rows = (b"[" + b",".join(batch) + b"]").decode()
        # With a cursor that binds on the client, PostgreSQL's text of 2 MiB would be copied and escaped several times.
        with prepared_cursor(connection) as cursor:
            cursor.execute(_STORE[connection.vendor], [owner, rows])


class BulkRow(models.Model):
    """One row of a table, with its message if it has one.

    number: as a spreadsheet shows it; the column names are row 1
    recipient: as written, without invisible characters; the start of it if it is too long to be valid
    cells: the cells under `BulkSend.names`: each a text, a list of texts, or null
    is_counted_international: whether the message counts towards the limit of international texts
    not_before: the end of the recipient's quiet hours, if the row waits for it
    errors: of a row that is left out: [{"column", "message"}]
    is_retried: a later bulk send contains the row, because its message failed
    """

    title_is_recipient = True
    recipient_fields = ("recipient", "normalised_recipient", "cells")

    bulk_send = models.ForeignKey(BulkSend, on_delete=models.CASCADE, db_index=False, related_name="rows")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=9, choices=RowState.choices, default=RowState.UNCHECKED)
    recipient = models.CharField(max_length=400, blank=True)
    normalised_recipient = models.CharField(max_length=400, blank=True)
    is_international = models.BooleanField(default=False)
    is_counted_international = models.BooleanField(default=False)
    rate_multiplier = models.PositiveSmallIntegerField(default=0)
    cells = models.JSONField(default=list)
    reference = models.CharField(max_length=1000, null=True)  # noqa: DJ001  null if not given
    time_zone = models.CharField(max_length=64, blank=True)
    not_before = models.DateTimeField(null=True)
    errors = models.JSONField(null=True)
    is_retried = models.BooleanField(default=False)

    objects = BulkRowQuerySet.as_manager()

    class Meta:
        verbose_name = "row"
        constraints = [models.UniqueConstraint(fields=["bulk_send", "number"], name="bulk_row_number_unique")]
        indexes = [
            models.Index(fields=["bulk_send", "number"], condition=Q(state="waiting"), name="bulk_row_waiting"),
            models.Index(fields=["normalised_recipient"], name="bulk_row_of_recipient"),  # for one person
        ]

    def __str__(self) -> str:
        return f"Row {self.number}"

    @property
    def title(self) -> str:
        return phone.displayed(self.recipient)

    @property
    def line(self) -> bytes:
        """Return the row as JSON, for `store`. It may be written to a file, so that no row stays in memory."""
        return json.dumps({name: getattr(self, name) for name in _STORED}, separators=(",", ":")).encode()


# Column → its type in a JSON record. `bulk_send` is the same for all rows of a statement.
_STORED = {
    "number": "integer",
    "state": "text",
    "recipient": "text",
    "normalised_recipient": "text",
    "is_international": "boolean",
    "is_counted_international": "boolean",
    "rate_multiplier": "smallint",
    "cells": "jsonb",
    "reference": "text",
    "time_zone": "text",
    "errors": "jsonb",
    "is_retried": "boolean",
}
_NAMES = ", ".join(_STORED)
_INTO = f"INSERT INTO {BulkRow._meta.db_table} (bulk_send_id, {_NAMES})"
_TYPED = ", ".join(f"{name} {kind}" for name, kind in _STORED.items())
_EXTRACTED = ", ".join(f"JSON_EXTRACT(value, '$.{name}')" for name in _STORED)
_STORE = {
    "postgresql": f"{_INTO} SELECT %s, {_NAMES} FROM JSONB_TO_RECORDSET(%s::jsonb) AS given({_TYPED})",  # noqa: S608
    "sqlite": f"{_INTO} SELECT %s, {_EXTRACTED} FROM JSON_EACH(%s)",  # noqa: S608  constants only
}
