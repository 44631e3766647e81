"""Check a table of recipients for a caller, and keep the checked rows in a file.

Source: docs/reference/bulk-sending.md §1.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice
from threading import Lock
from typing import BinaryIO

import msgspec
from django.conf import settings

from notifications import errors
from notifications.bulk_tables.check import TableCheck, TableError, TableLimits
from notifications.bulk_tables.rows import CheckedRow, Recipient, Rules
from notifications.bulk_tables.tables import Table, UnreadableTable, clean
from notifications.delivery import repeats
from notifications.models import BulkRow, Channel, KeyType, LimitKind, RowState, Service
from notifications.recipients import email as email_addresses
from notifications.recipients.phone import PhoneNumber
from notifications.rendering import email, placeholders, sms
from notifications.submission import limits, policy
from notifications.submission.callers import Caller
from notifications.submission.templates import TemplateText

WAIT_SECONDS = 10.0
ROWS_AT_ONCE = 500
MAX_RECIPIENT_CHARACTERS = 400  # of the column; a longer text is not a valid recipient

_ERRORS: Mapping[str, type[errors.InvalidTablePart]] = {
    "unreadable": errors.TableUnreadable,
    "unclosed_quote": errors.TableUnreadable,
    "too_many_columns": errors.TooManyColumns,
    "missing_columns": errors.MissingColumns,
    "duplicate_recipient_columns": errors.DuplicateRecipientColumns,
    "no_rows": errors.NoRows,
    "daily_limit": errors.TooFewMessagesLeft,
    "international_limit": errors.TooFewMessagesLeft,
    "too_many_rows": errors.TooManyRows,
    "not_allowed": errors.RecipientsNotAllowed,
    "too_long": errors.RowTooLong,
    "rows": errors.RowsInvalid,
}
_one_at_a_time = Lock()


class Judged:
    """A checked table. Its good rows are in an unlinked file, as `BulkRow.line` writes them.

    sent_names: of all columns
    names: of the columns that are kept: those that the template or the service uses
    table_hash: of the names and all rows
    """

    def __init__(
        self,
        caller: Caller,
        template: TemplateText,
        table: Table,
        *,
        reference: str | None = None,
        rules: Rules | None = None,
        note: Callable[[CheckedRow], None] = lambda row: None,
    ) -> None:
        """Check the whole table. Raises InvalidTable if it cannot be read.

        rules: by default those of the template; note: called with each checked row, for a dry run
        """
        self._caller, self._channel = caller, template.type
        self.check = TableCheck(table, rules or rules_for(caller, template), limits_for(caller, template.type))
        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  closed by `close`
        columns = self.check.columns
        places = columns.used_places
        self.sent_names = table.names
        self.names = [table.names[place] for place in places]
        digest = hashlib.sha256(msgspec.json.encode(self.names))
        try:
            rows = (row_of(row, places, reference) for row in _noted(self.check.rows(), note))
            for batch in iter(lambda: list(islice(rows, ROWS_AT_ONCE)), []):
                self._find_repeats(caller, template, batch)
                for row in batch:
                    digest.update(msgspec.json.encode(row.cells))
                if not self.check.with_errors:
                    self._file.writelines(row.line + b"\n" for row in batch)
        except UnreadableTable as error:
            self.close()
            raise errors.InvalidTable([errors.TableUnreadable(str(error))]) from error
        self.table_hash = digest.hexdigest()

    @property
    def counted(self) -> dict[LimitKind, int]:
        """Return the number of messages that count towards each daily limit, in the order of their locks."""
        number = self.check.row_count - self.check.simulated - self.check.repeated
        if self._channel is Channel.EMAIL:
            return {LimitKind.EMAIL: number}
        return {LimitKind.SMS: number, LimitKind.INTERNATIONAL_SMS: self.check.international}

    def _find_repeats(self, caller: Caller, template: TemplateText, batch: list[BulkRow]) -> None:
        """Mark the rows that repeat an earlier message. A step finds those that repeat another row."""
        if not caller.service.repeat_guard_minutes:
            return
        sent = [(row.normalised_recipient, row.reference) for row in batch]
        found = repeats.find(caller.service, caller.key_type, template.id, sent)
        for row, first in zip(batch, found, strict=True):
            if first and row.state == RowState.WAITING:
                row.state = RowState.REPEAT
                self.check.note_repeat(is_international=row.is_counted_international)

    def errors(self) -> list[errors.NotificationError]:
        """Return the errors of the table, in the order of the answer."""
        return [error_of(found, self._caller.service, self._channel) for found in self.check.errors()]

    def raise_errors(self) -> None:
        """Raise InvalidTable if the table has errors."""
        if found := self.errors():
            raise errors.InvalidTable(found)

    def refresh_limits(self) -> None:
        """Read again how many messages are left today."""
        self.check.limits = limits_for(self._caller, self._channel)

    def lines(self) -> Iterator[bytes]:
        """Return the good rows, for `BulkRow.objects.store`."""
        self._file.seek(0)
        return (line.rstrip(b"\n") for line in self._file)

    def close(self) -> None:
        self._file.close()


def _noted(rows: Iterator[CheckedRow], note: Callable[[CheckedRow], None]) -> Iterator[CheckedRow]:
    for row in rows:
        note(row)
        yield row


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let one check of this process run. The next one waits for WAIT_SECONDS, then it raises Unavailable."""
    if not _one_at_a_time.acquire(timeout=WAIT_SECONDS):
        raise errors.Unavailable
    try:
        yield
    finally:
        _one_at_a_time.release()


def rules_for(caller: Caller, template: TemplateText) -> Rules:
    """Return what the template and the service ask of a row."""
    service = caller.service
    is_email = template.type is Channel.EMAIL
    prefix = service.name if service.prefix_sms else None
    return Rules(
        is_email=is_email,
        placeholders=placeholders.find(template.subject, template.content),
        parse=email_addresses.parse if is_email else partial(policy.parse_number, service=service),
        is_known=partial(policy.may_send_to, caller),
        is_simulated=policy.is_simulated,
        render=(
            partial(email.render, template.subject, template.content, language=template.language)
            if is_email
            else partial(sms.render, template.content, prefix=prefix, language=template.language)
        ),
        defaults=template.defaults,
    )


def limits_for(caller: Caller, channel: Channel) -> TableLimits:
    """Return what limits a bulk send of the caller now."""
    is_email = channel is Channel.EMAIL
    return TableLimits(
        max_rows=settings.BULK_MAX_ROWS,
        daily=limits.allowance(caller, LimitKind.EMAIL if is_email else LimitKind.SMS),
        international=None if is_email else limits.allowance(caller, LimitKind.INTERNATIONAL_SMS),
        is_team_key=caller.key_type == KeyType.TEAM,
    )


def row_of(row: CheckedRow, places: list[int], reference: str | None = None) -> BulkRow:
    """Return a checked row, not saved, with the cells at these places.

    reference: of a row that has none
    """
    recipient = row.recipient
    is_bad = bool(row.errors)
    return BulkRow(
        number=row.number,
        state=RowState.LEFT_OUT if is_bad else RowState.SIMULATED if row.is_simulated else RowState.WAITING,
        recipient=(recipient.as_given if recipient else row.to or "")[:MAX_RECIPIENT_CHARACTERS],
        normalised_recipient=recipient.key if recipient else "",
        is_counted_international=row.is_international,
        cells=[clean(row.cells[place]) if place < len(row.cells) else None for place in places],
        reference=reference if row.reference is None else row.reference,
        time_zone=(row.time_zone or "") if not is_bad else "",
        errors=[{"column": error.column, "message": error.message} for error in row.errors] or None,
        **_of_number(recipient),
    )


def error_of(found: TableError, service: Service, channel: Channel) -> errors.NotificationError:
    """Return the error of the API for an error of a table."""
    if found.is_limit_reached:
        kind = LimitKind.INTERNATIONAL_SMS if found.kind == "international_limit" else LimitKind(channel.value)
        return limits.reached(service, kind)
    rows = [{"row": one.row, "column": one.column, "message": one.message} for one in found.rows]
    return _ERRORS[found.kind](found.message, rows_with_errors=found.rows_with_errors, rows=rows)


def _of_number(recipient: Recipient | None) -> dict[str, int]:
    if not isinstance(recipient, PhoneNumber):
        return {}
    return {"is_international": recipient.is_international, "rate_multiplier": recipient.rate_multiplier}
