"""Errors of bulk sends. Source: docs/reference/bulk-sending.md §1, §7."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from config.rest.api_errors import SendingError
from notifications.errors.calling import DailyLimitReached
from notifications.errors.fields import ValidationError

_CHECK_ROWS = "Correct these rows and send the whole table again. The message names the first 20 of them."


class BulkNameTooLong(ValidationError):
    slug = "bulk-name-too-long"
    text = "name {value} is too long"
    fix = "Use a name of at most 255 characters."


class TableOfWrongType(ValidationError):  # the message does not repeat the table
    slug = "table-type"
    text = "{name} is not of type {type}"
    fix = "Send `rows` as an array of arrays, or `csv` as the text of a CSV file."


class BulkScheduledForPast(ValidationError):
    slug = "bulk-scheduled-for-past"
    text = "scheduled_for datetime cannot be in the past"
    fix = "Use a time in the future, or leave `scheduled_for` out to send now."


class BulkScheduledForTooFar(ValidationError):
    slug = "bulk-scheduled-for-too-far"
    text = "scheduled_for datetime can only be up to {hours} hours in the future"
    fix = "Use an earlier time."


class RowsOrCsv(SendingError):
    slug = "rows-or-csv"
    text = "You should specify either rows or csv"
    fix = "Send exactly one of the two properties."


class BulkSendFinished(SendingError):
    slug = "bulk-send-finished"
    status = 409
    kind = "StateError"
    text = "This bulk send is finished"
    fix = "A bulk send whose rows are all messages, or that was cancelled, cannot change. Read its `job_status`."


class BulkSendNotScheduled(SendingError):
    slug = "bulk-send-not-scheduled"
    status = 409
    kind = "StateError"
    text = "This bulk send is not scheduled"
    fix = "Only a bulk send without messages can be moved. Pause or cancel this one instead."


class NothingToRetry(SendingError):
    slug = "nothing-to-retry"
    status = 409
    kind = "StateError"
    text = "This bulk send has no failed messages"
    fix = "Only messages with the status `technical-failure` or `temporary-failure` can be sent again."


class BulkSendNotReady(SendingError):  # only of the console: the API sends no drafts
    status = 409
    kind = "StateError"
    text = "This table has changed or is not checked"
    fix = "Check the table again."


class InvalidTablePart(SendingError):
    """One error of a table.

    rows_with_errors: how many rows have the error, or None if it is not about rows
    rows: the errors of the first of these rows: [{"row", "column", "message"}]
    """

    rows_with_errors: int | None = None
    rows: Sequence[Mapping[str, object]] = ()

    def __init__(
        self, message: str = "", *, rows_with_errors: int | None = None, rows: Sequence[Mapping[str, object]] = ()
    ) -> None:
        super().__init__(message)
        self.rows_with_errors, self.rows = rows_with_errors, rows

    def _entry(self, docs: str) -> dict[str, object]:
        entry: dict[str, object] = {**super()._entry(docs)}
        if self.rows_with_errors is not None:
            entry |= {"rows_with_errors": self.rows_with_errors, "rows": self.rows}
        return entry


class TableUnreadable(InvalidTablePart):
    slug = "table-unreadable"
    text = "Error converting to CSV: {reason}"
    fix = "Check the row that the message names, or the quotation marks of the text."


class TooManyColumns(InvalidTablePart):
    slug = "table-too-many-columns"
    text = "Too many columns. Maximum number of columns allowed is {limit}"
    fix = "Remove columns that the template does not use."


class MissingColumns(InvalidTablePart):
    slug = "table-missing-columns"
    text = "Missing column headers: {names}"
    fix = "Add these columns to the first row. Capitals, spaces, hyphens and underscores do not count."


class DuplicateRecipientColumns(InvalidTablePart):
    slug = "table-duplicate-columns"
    text = "Duplicate column headers: {names}"
    fix = "Keep only one column for the recipient."


class NoRows(InvalidTablePart):
    slug = "table-no-rows"
    text = "There are no rows. Add at least one row under the column names."
    fix = "Send the column names as the first row, and one row for each recipient below."


class TooFewMessagesLeft(InvalidTablePart):
    slug = "table-daily-limit"
    text = (
        "You only have {remaining} remaining {kind}messages before you reach your daily limit. "
        "You've tried to send {count} {kind}messages."
    )
    fix = "Send fewer rows, send after midnight UTC, or ask for a higher limit."


class TooManyRows(InvalidTablePart):
    slug = "table-too-many-rows"
    text = "Too many rows. Maximum number of rows allowed is {limit}"
    fix = "Split the table over several bulk sends."


class RecipientsNotAllowed(InvalidTablePart):
    slug = "table-recipients-not-allowed"
    text = "You cannot send to these recipients because {reason}"
    fix = "Add the recipients to the team or the guest list, or use a live key of a live service."


class RowTooLong(InvalidTablePart):
    slug = "table-message-too-long"
    text = (
        "Row {row} - has a character count greater than {limit} characters. "
        "Some messages may be too long due to custom content."
    )
    fix = "Shorten the template or the values of these rows."


class RowsInvalid(InvalidTablePart):
    slug = "table-rows"
    text = "Some rows have errors. {rows}"
    fix = _CHECK_ROWS


class InvalidTable(SendingError):
    """All errors of a table in the contract's order. If the only reason is a used-up daily limit, the status is 429."""

    def __init__(self, errors: Sequence[SendingError]) -> None:
        super().__init__("; ".join(error.message for error in errors))
        self._errors = errors
        self.slug, self.limit = errors[0].slug, errors[0].limit
        if all(isinstance(error, DailyLimitReached) for error in errors):
            self.status = HTTPStatus.TOO_MANY_REQUESTS
            self.retry_after_seconds = errors[0].retry_after_seconds

    @property
    def errors(self) -> Sequence[SendingError]:
        return self._errors
