"""Check a whole table: its columns, its size, the daily limits and its rows.

The errors have the order and the texts of the answer. Source: docs/reference/bulk-sending.md §1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from notifications import errors
from notifications.bulk_tables import columns as matching
from notifications.bulk_tables.rows import CheckedRow, RowErrorKind, Rules, check_row
from notifications.bulk_tables.tables import MAX_COLUMNS, NAMES_ROW, Table
from notifications.rendering.sms import MAX_CHARACTERS

MAX_ROWS_IN_SENTENCE = 20
MAX_ROWS_LISTED = 1_000

_ON_TEAM_KEY = "you used a team and safelist API key."
_IN_TRIAL = "your service is in trial mode. You can only send to members of your team and your safelist."


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """A limit of messages a day, and how many of them are left today."""

    limit: int
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLimits:
    """What limits a bulk send of a caller.

    daily, international: None if the caller has no such limit, as with a test key
    is_team_key: whether the recipients are limited by the key, not by the trial of the service
    """

    max_rows: int
    daily: Allowance | None = None
    international: Allowance | None = None
    is_team_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedError:
    """An error of a row. column: as the table spells it; None if the error concerns the whole row"""

    row: int
    column: str | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableError:
    """An entry of the answer.

    is_limit_reached: no message is left today, which the API answers with the status 429
    rows_with_errors: how many rows have errors of this kind; None if the entry is not about rows
    rows: the errors of the first MAX_ROWS_LISTED such rows
    """

    kind: str
    message: str
    is_limit_reached: bool = False
    rows_with_errors: int | None = None
    rows: list[ListedError] = field(default_factory=list)


@dataclass(slots=True)
class _RowErrors:
    """What is kept of the errors of one kind while the rows are read."""

    count: int = 0
    listed: list[ListedError] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def add(self, row: CheckedRow, kind: RowErrorKind) -> None:
        of_kind = [error for error in row.errors if error.kind is kind]
        if not of_kind:
            return
        self.count += 1
        if self.count <= MAX_ROWS_LISTED:
            self.listed += [
                ListedError(row=row.number, column=error.column, message=error.message) for error in of_kind
            ]
        if self.count <= MAX_ROWS_IN_SENTENCE:
            parts = [
                f"`{error.column}`: {error.summary or error.message}" if error.column is not None else error.message
                for error in of_kind
            ]
            self.sentences.append(f"Row {row.number} - {','.join(parts)}.")


class TableCheck:
    """Check a table while its rows are read once.

    The counts and `errors` are complete once `rows` has ended. They keep at most MAX_ROWS_LISTED rows in memory.

    limits: may be replaced before `errors`, if other messages have been counted meanwhile
    with_errors, international, simulated: counts of rows; 0 if no row could be checked
    repeated: rows that do not count, because they repeat an earlier message
    """

    def __init__(self, table: Table, rules: Rules, limits: TableLimits) -> None:
        self.columns = matching.match(table.names, rules.placeholders, is_email=rules.is_email, optional=rules.defaults)
        self._table = table
        self._rules = rules
        self.limits = limits
        self.row_count = 0
        self._forget_rows()

    @property
    def checks_rows(self) -> bool:
        """Return whether rows are checked: the columns have no errors, and the number of rows is allowed."""
        columns = self.columns
        has_column_errors = columns.has_too_many or columns.missing or columns.duplicate_recipient
        return not has_column_errors and 1 <= self.row_count <= self.limits.max_rows

    def rows(self) -> Iterator[CheckedRow]:
        """Yield each checked row. Rows above the largest number allowed are only counted.

        Raises Unreadable.
        """
        for number, cells in enumerate(self._table.rows, NAMES_ROW + 1):
            self.row_count += 1
            if self.checks_rows:
                row = check_row(number, cells, self.columns, self._rules)
                self._count(row)
                yield row
        if not self.checks_rows:
            self._forget_rows()

    def errors(self) -> list[TableError]:
        """Return the errors of the table, in the order of the answer."""
        return [*self._column_errors(), *self._limit_errors(), *self._size_errors(), *self._row_errors()]

    def note_repeat(self, *, is_international: bool) -> None:
        """Count a checked row as a repeat of an earlier message."""
        self.repeated += 1
        self.international -= is_international

    def _count(self, row: CheckedRow) -> None:
        self.with_errors += bool(row.errors)
        self.international += row.is_international
        self.simulated += row.is_simulated
        for kind, found in self._found.items():
            found.add(row, kind)

    def _forget_rows(self) -> None:
        self.with_errors = self.international = self.simulated = self.repeated = 0
        self._found = {kind: _RowErrors() for kind in RowErrorKind}

    def _column_errors(self) -> Iterator[TableError]:
        columns = self.columns
        if columns.has_too_many:
            message = errors.TooManyColumns.text.format(limit=MAX_COLUMNS)
            yield TableError(kind="too_many_columns", message=message)
        if columns.missing:
            message = errors.MissingColumns.text.format(names=", ".join(columns.missing))
            yield TableError(kind="missing_columns", message=message)
        if columns.duplicate_recipient:
            message = errors.DuplicateRecipientColumns.text.format(names=", ".join(columns.duplicate_recipient))
            yield TableError(kind="duplicate_recipient_columns", message=message)
        if not self.row_count:
            yield TableError(kind="no_rows", message=errors.NoRows.text)

    def _limit_errors(self) -> Iterator[TableError]:
        count = self.row_count - self.simulated - self.repeated
        return limit_errors(self.limits, count, self.international, is_email=self._rules.is_email)

    def _size_errors(self) -> Iterator[TableError]:
        most = self.limits.max_rows
        if self.row_count > most:
            message = errors.TooManyRows.text.format(limit=most)
            yield TableError(kind="too_many_rows", message=message)

    def _row_errors(self) -> Iterator[TableError]:
        reason = _ON_TEAM_KEY if self.limits.is_team_key else _IN_TRIAL
        for kind, found in self._found.items():
            if not found.count:
                continue
            match kind:
                case RowErrorKind.NOT_ALLOWED:
                    message = errors.RecipientsNotAllowed.text.format(reason=reason)
                case RowErrorKind.TOO_LONG:
                    message = errors.RowTooLong.text.format(row=found.listed[0].row, limit=MAX_CHARACTERS)
                case RowErrorKind.ROWS:
                    message = errors.RowsInvalid.text.format(rows=" ".join(found.sentences))
            yield TableError(kind=kind, message=message, rows_with_errors=found.count, rows=found.listed)


def limit_errors(limits: TableLimits, count: int, international: int, *, is_email: bool) -> Iterator[TableError]:
    """Yield an error for each daily limit that has too few messages left. count, international: of the messages"""
    channel, named = ("email", "") if is_email else ("sms", "sms ")
    yield from _limit_error("daily_limit", limits.daily, count, channel=channel, named=named)
    if not is_email:
        kind, channel, named = "international_limit", "international_sms", "international sms "
        yield from _limit_error(kind, limits.international, international, channel=channel, named=named)


def _limit_error(
    kind: str, allowance: Allowance | None, count: int, *, channel: str, named: str
) -> Iterator[TableError]:
    if allowance is None or count <= allowance.remaining:
        return
    if allowance.remaining <= 0:
        message = errors.DailyLimitReached.text.format(limit_kind=channel, limit=allowance.limit)
        yield TableError(kind=kind, message=message, is_limit_reached=True)
        return
    message = errors.TooFewMessagesLeft.text.format(remaining=allowance.remaining, count=count, kind=named)
    yield TableError(kind=kind, message=message)
