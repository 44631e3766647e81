"""Check every row of an uploaded table, and store the rows. A worker continues a check that was interrupted.

Source: docs/reference/console.md §3.4.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from config import audit
from config.databases.streaming import streamed
from config.jobs.bulk import BACKGROUND_OVER, BulkJob
from config.jobs.models import BulkJobRun
from config.jobs.pace import Pace
from config.jobs.registry import Batch
from notifications.admin.bulk_sends import drafts, notices, reading
from notifications.admin.bulk_sends.drafts import Superseded
from notifications.admin.bulk_sends.notices import Counts
from notifications.bulk_tables import columns, files, mapping
from notifications.bulk_tables.check import TableCheck, TableError
from notifications.bulk_tables.columns import TableColumns
from notifications.bulk_tables.rows import Rules, check_row
from notifications.bulk_tables.tables import NAMES_ROW, Cell, Table
from notifications.models import BulkRow, BulkSend, BulkTable, Channel, KeyType
from notifications.submission.bulk import judge
from notifications.submission.bulk.suppressed import SuppressedRows
from notifications.submission.callers import ConsoleSender

_SEEN_AT_ONCE = 2_000
_DELETED_AT_ONCE = 1_000
_TASK_SECONDS = 60
_BATCH_SECONDS = {"sqlite": 0.03, "postgresql": 0.2}  # a concurrent send on SQLite must wait less than 0.1 s
_REST_BY_WORK = {"sqlite": 1.0, "postgresql": 0.05}

KIND = "check-bulk-table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a check needs of a draft."""

    table: BulkTable
    layout: mapping.Layout
    columns: TableColumns
    rules: Rules
    person: ConsoleSender
    suppressed_rows: SuppressedRows

    @classmethod
    def of(cls, table: BulkTable) -> "Draft":
        bulk_send = table.bulk_send
        person = ConsoleSender(
            service=bulk_send.service, key_type=KeyType(bulk_send.key_type), name=bulk_send.created_by
        )
        template = drafts.text_of(table)
        asked = judge.rules_for(person, template)
        layout = mapping.layout(table.names, asked.placeholders, table.choice, is_email=asked.is_email)
        matched = columns.match(layout.names, asked.placeholders, is_email=asked.is_email, optional=asked.defaults)
        return cls(
            table=table,
            layout=layout,
            columns=matched,
            rules=asked,
            person=person,
            suppressed_rows=SuppressedRows(caller=person, template=template),
        )

    def errors(self, counts: Counts) -> list[TableError]:
        """Return the errors of the columns, the limits and the size."""
        limits = judge.limits_for(self.person, Channel(self.table.bulk_send.channel))
        check = TableCheck(Table(names=self.layout.names), self.rules, limits)
        check.row_count = self.table.row_count or 0
        check.international, check.simulated = counts.international, counts.simulated
        return check.errors()


def begin(request: HttpRequest, table: BulkTable, *, way_back: str) -> None:
    """Start a check. The result of an earlier one is gone."""
    bulk_send = table.bulk_send
    table.checking, table.fingerprint = uuid.uuid4(), ""
    bulk_send.check_result = {}
    bulk_send.template_version = bulk_send.template.current_version
    bulk_send.service_name, bulk_send.prefix_sms = bulk_send.service.name, bulk_send.service.prefix_sms
    bulk_send.updated_at = timezone.now()
    bulk_send.save(update_fields=["template_version", "service_name", "prefix_sms", "check_result", "updated_at"])
    table.save()
    mark = notices.fingerprint(bulk_send.template, bulk_send.service)
    number = table.row_count or 0
    drafts.start(
        request,
        KIND,
        table.checking,
        is_small=table.reading is None and number <= BACKGROUND_OVER,
        arguments={"bulk_send": str(table.pk), "fingerprint": mark},
        total=number,
        way_back=way_back,
    )


def _check(run: BulkJobRun, pace: Pace) -> Iterator[Batch]:
    """Read the file before the first transaction, because it may take seconds, and return the batches."""
    table = BulkTable.objects.select_related("bulk_send__template", "bulk_send__service").get(
        pk=run.arguments["bulk_send"]
    )
    draft = Draft.of(table)
    rows = reading.open_table(table, files.IN_A_WORKER).table.rows
    for _ in islice(rows, run.position):
        pass  # stored before the interruption
    return _batches(run, pace, draft, rows, _seen(draft) if run.position else {})


def _seen(draft: Draft) -> dict[str, bool]:
    stored = BulkRow.objects.filter(bulk_send=draft.table.pk).exclude(normalised_recipient="").order_by("number")
    seen: dict[str, bool] = {}
    for recipient in streamed(stored.values_list("normalised_recipient", flat=True), chunk_size=_SEEN_AT_ONCE):
        seen[recipient] = recipient in seen
    return seen


def _batches(
    run: BulkJobRun, pace: Pace, draft: Draft, rows: Iterator[list[Cell]], seen: dict[str, bool]
) -> Iterator[Batch]:
    """Store the rows in batches. seen: each recipient → whether it occurs more than once"""
    counts = Counts.of(draft.table.bulk_send.check_result)
    bulk_send = draft.table.bulk_send
    places = list(range(len(draft.layout.names)))
    try:
        if not run.position:
            yield from _delete_stored(run, draft)
        while some := list(islice(rows, pace.at_once)):
            lines, checked_rows = [], []
            for number, cells in enumerate(some, NAMES_ROW + 1 + counts.rows):
                stored_cells = draft.layout.cells(cells)
                checked = check_row(number, stored_cells, draft.columns, draft.rules)
                recipient = checked.recipient.key if checked.recipient else ""
                is_second = seen.get(recipient) is False
                if recipient:
                    seen[recipient] = recipient in seen
                counts.add(checked, is_second=is_second)
                checked_rows.append(checked)
                lines.append(judge.row_of(checked, places).line)
            counts.suppressed += draft.suppressed_rows.count(checked_rows)
            drafts.own(draft.table, checking=run.pk)
            BulkRow.objects.store(bulk_send, lines)
            BulkSend.objects.filter(pk=bulk_send.pk).update(check_result={"counts": counts.stored()})
            yield Batch(passed=len(some), number=len(some))
        drafts.own(draft.table, checking=run.pk)
        _finish(run, draft, counts)  # in the transaction that finds no further batch
    except Superseded:
        return


def _delete_stored(run: BulkJobRun, draft: Draft) -> Iterator[Batch]:
    stored = BulkRow.objects.filter(bulk_send=draft.table.pk).order_by("number")
    while some := list(stored.values_list("pk", flat=True)[:_DELETED_AT_ONCE]):
        drafts.own(draft.table, checking=run.pk)
        BulkRow.objects.filter(pk__in=some).delete()
        yield Batch(number=0)


def _finish(run: BulkJobRun, draft: Draft, counts: Counts) -> None:
    errors = [{"kind": error.kind, "message": error.message} for error in draft.errors(counts)]
    BulkTable.objects.filter(pk=draft.table.pk).update(fingerprint=run.arguments["fingerprint"])
    bulk_send = draft.table.bulk_send
    BulkSend.objects.filter(pk=bulk_send.pk).update(
        names=draft.layout.names,
        row_count=counts.good,
        waiting=counts.good,
        left_out=counts.with_errors,
        check_result={"counts": counts.stored(), "errors": errors},
        checked_at=timezone.now(),
        updated_at=timezone.now(),
    )
    audit.record(
        run.actor,
        "checked",
        **audit.about(bulk_send),
        after={"rows": counts.rows, "with_errors": counts.with_errors},
    )


def _pace() -> Pace:
    """Return a fast pace: on PostgreSQL nobody waits for these rows, and each task reads the whole file again."""
    is_sqlite = connection.vendor == "sqlite"
    return Pace(_BATCH_SECONDS[connection.vendor], first=100 if is_sqlite else 500, rest_by_work=_REST_BY_WORK)


CHECK = BulkJob(
    name=KIND,
    verb="Check",
    noun="row",
    done="checked",
    work=_check,
    task_seconds=_TASK_SECONDS,
    new_pace=_pace,
)
