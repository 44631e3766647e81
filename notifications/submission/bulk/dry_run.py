"""Check a bulk send as an acceptance does, and store nothing. Source: docs/reference/bulk-sending.md §4."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.utils import timezone

from notifications import errors
from notifications.bulk_tables.check import MAX_ROWS_LISTED, ListedError, TableError
from notifications.bulk_tables.columns import TableColumns
from notifications.bulk_tables.rows import CheckedRow
from notifications.bulk_tables.tables import Table
from notifications.errors import NotificationError
from notifications.models import Channel, LimitKind
from notifications.submission import limits, policy, templates
from notifications.submission.bulk.judge import Judged, error_of, rules_for
from notifications.submission.bulk.requests import find_sender
from notifications.submission.bulk.suppressed import ROWS_AT_ONCE, SuppressedRows
from notifications.submission.callers import Caller
from notifications.submission.requests import GivenId
from notifications.submission.sending import checks
from notifications.submission.sending.checks import Check, Result
from notifications.submission.sending.dry_run import DailyLimitLeft, limit
from notifications.submission.templates import TemplateText, fixed_files

PREVIEWED_ROWS = 5
_OF_TABLE = ("unreadable", "unclosed_quote", "too_many_columns", "missing_columns", "duplicate_recipient_columns")
_OF_SIZE = ("no_rows", "daily_limit", "international_limit", "too_many_rows")
_OF_ROWS = ("not_allowed", "too_long", "rows")
KINDS = (*_OF_TABLE, *_OF_SIZE, *_OF_ROWS)
NAMES = ("schema", "source", "template", "channel", "sender", *KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRequestPart:
    """A request that may be wrong. values: the valid properties; errors, invalid: of the others

    tables: the names of the properties with a table that the caller gave
    open_table: reads the table; raises InvalidTable
    """

    values: Mapping[str, Any]  # Any: parsed JSON
    errors: Sequence[NotificationError]
    invalid: Collection[str]
    tables: Collection[str]
    open_table: Callable[[], Table]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedRow:
    """A row without errors, as its recipient gets it. parts: of a text message"""

    row: int
    to: str
    subject: str | None
    body: str
    parts: int | None


@dataclass(slots=True, kw_only=True)
class BulkDryRun:
    """The result of a dry run. Values are None if an error keeps them unknown.

    rows, with_errors: numbers of rows; listed: the first errors of rows
    parts: of all text messages without errors
    suppressed: rows without errors whose recipient is suppressed
    """

    results: Sequence[Result] = ()
    template: TemplateText | None = None
    columns: TableColumns | None = None
    rows: int | None = None
    with_errors: int | None = None
    listed: list[ListedError] = field(default_factory=list)
    preview: list[PreviewedRow] = field(default_factory=list)
    parts: int | None = None
    suppressed: int | None = None
    limits: Mapping[LimitKind, DailyLimitLeft] = field(default_factory=dict)
    scheduled_for: datetime | None = None
    sends_at: datetime | None = None

    @property
    def is_accepted(self) -> bool:
        return all(result.ok for result in self.results)


class _BulkChecks:
    """The checks before the table. A check sets what the later ones need."""

    template: TemplateText

    def __init__(self, caller: Caller, part: BulkRequestPart) -> None:
        self._caller, self._part = caller, part

    def check_schema(self) -> None:
        if self._part.errors:
            raise errors.InvalidRequest(self._part.errors)

    def check_source(self) -> None:
        if len(self._part.tables) != 1:
            raise errors.RowsOrCsv

    def find_template(self) -> None:
        given: GivenId = self._part.values["template_id"]
        self.template = templates.for_bulk_sending(
            self._caller.service_id, given.value, language=self._part.values.get("language")
        )
        policy.check_template(self._caller, self.template.id)
        fixed_files.check_none(self.template)

    def check_channel(self) -> None:
        policy.check_channel(self._caller.service, self.template.type)

    def choose_sender(self) -> None:
        find_sender(self._caller.service, self.template.type, self._part.values.get("reply_to_id"))


_CHECKS = (
    Check("schema", _BulkChecks.check_schema),
    Check("source", _BulkChecks.check_source),
    Check("template", _BulkChecks.find_template, reads=["template_id", "language"]),
    Check("channel", _BulkChecks.check_channel, needs=["template"]),
    Check("sender", _BulkChecks.choose_sender, needs=["template"], reads=["reply_to_id"]),
)


def check(caller: Caller, part: BulkRequestPart) -> BulkDryRun:
    message = _BulkChecks(caller, part)
    results = checks.run_all(_CHECKS, message, invalid=part.invalid)
    found = {result.check: result for result in results}
    run = BulkDryRun(scheduled_for=part.values.get("scheduled_for"))
    of_table: dict[str, Result] = {}
    if found["template"].ok:
        run.template = message.template
        run.limits = _limits(caller, message.template.type)
        if found["source"].ok and not set(part.invalid) & set(part.tables):
            of_table = _check_table(caller, message.template, part, run)
    run.results = [*results, *(of_table.get(kind, Result(check=kind, ok=None)) for kind in KINDS)]
    if run.is_accepted:
        run.sends_at = run.scheduled_for or timezone.now()
    return run


def _check_table(caller: Caller, template: TemplateText, part: BulkRequestPart, run: BulkDryRun) -> dict[str, Result]:
    """Check the table, and set what it shows. Return the results that are known, by kind."""
    seen = _Seen(SuppressedRows(caller=caller, template=template), is_email=template.type is Channel.EMAIL)
    rules = rules_for(caller, template)
    watched = replace(rules, render=seen.remember(rules.render))
    try:
        table, reference = part.open_table(), part.values.get("reference")
        judged = Judged(caller, template, table, reference=reference, rules=watched, note=seen.note)
    except errors.InvalidTable as error:  # of a table that cannot be read
        kind = getattr(error.__cause__, "kind", KINDS[0])
        known = {name: Result(check=name, ok=True) for name in KINDS[:2]}
        return known | {kind: Result(check=kind, ok=False, errors=error.errors)}
    judged.close()
    table_check = judged.check
    found = {one.kind: one for one in table_check.errors()}
    run.columns, run.rows = table_check.columns, table_check.row_count
    run.listed = [row for one in found.values() for row in one.rows][:MAX_ROWS_LISTED]
    if table_check.checks_rows:
        run.with_errors, run.preview = table_check.with_errors, seen.preview
        run.parts = None if template.type is Channel.EMAIL else seen.parts
        run.suppressed = seen.suppressed()
    known_kinds = KINDS if table_check.checks_rows else (*_OF_TABLE, *_OF_SIZE)
    results = {kind: _result(caller, template, kind, found.get(kind)) for kind in known_kinds}
    if results["daily_limit"].ok:
        results["daily_limit"] = checks.attempt(
            "daily_limit", partial(limits.check_key, caller, max(judged.counted.values()))
        )
    return results


def _result(caller: Caller, template: TemplateText, kind: str, error: TableError | None) -> Result:
    if error is None:
        return Result(check=kind, ok=True)
    return Result(check=kind, ok=False, errors=[error_of(error, caller.service, template.type)])


class _Seen:
    """What a dry run shows of the rows, collected while they are checked, so that no message is rendered twice."""

    def __init__(self, suppressed_rows: SuppressedRows, *, is_email: bool) -> None:
        self._suppressed_rows, self._suppressed = suppressed_rows, 0
        self._uncounted: list[CheckedRow] = []
        self.preview: list[PreviewedRow] = []
        self.parts = 0
        self._is_email = is_email
        self._rendered: Any = None  # Any: an EmailText or SmsText

    def remember(self, render: Callable[..., Any]) -> Callable[..., Any]:
        def remembering(values: Mapping[str, object]) -> Any:
            self._rendered = render(values)
            return self._rendered

        return remembering

    def note(self, row: CheckedRow) -> None:
        if row.errors:
            return
        self._uncounted.append(row)
        if len(self._uncounted) == ROWS_AT_ONCE:
            self.suppressed()
        message = self._rendered
        parts = None if self._is_email else message.fragments
        self.parts += parts or 0
        if len(self.preview) < PREVIEWED_ROWS:
            subject, body = (message.subject, message.body) if self._is_email else (None, message.text)
            self.preview.append(PreviewedRow(row=row.number, to=row.to or "", subject=subject, body=body, parts=parts))

    def suppressed(self) -> int:
        """Return how many of the rows so far have a suppressed recipient."""
        self._suppressed += self._suppressed_rows.count(self._uncounted)
        self._uncounted.clear()
        return self._suppressed


def _limits(caller: Caller, channel: Channel) -> dict[LimitKind, DailyLimitLeft]:
    kinds = [LimitKind.EMAIL] if channel is Channel.EMAIL else [LimitKind.SMS, LimitKind.INTERNATIONAL_SMS]
    return {kind: limit(caller.service, kind) for kind in kinds}
