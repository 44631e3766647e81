"""Send failed messages of a bulk send again, as a new bulk send. Source: docs/reference/bulk-sending.md §8."""

from collections.abc import Iterator
from datetime import datetime

from django.utils import timezone

from config.audit import Actor
from config.erased import ERASED
from notifications import errors
from notifications.bulk_tables import tables
from notifications.bulk_tables.columns import REFERENCE
from notifications.bulk_tables.tables import Cell
from notifications.models import BulkSend
from notifications.models.bulk_row import BulkRowQuerySet
from notifications.rendering.placeholders import key
from notifications.submission.bulk.accept import accept
from notifications.submission.bulk.requests import BulkRequest
from notifications.submission.callers import Caller
from notifications.submission.requests import GivenId
from notifications.submission.sending.retry import RETRIED

ROWS_AT_ONCE = 2_000


def failed_rows(bulk_send: BulkSend, until: datetime) -> BulkRowQuerySet:
    """Return the rows whose message failed before this time and that no later bulk send contains.

    Rows of erased recipients are left out.
    """
    return bulk_send.rows.exclude(recipient=ERASED).filter(
        notifications__status__in=RETRIED, notifications__completed_at__lte=until, is_retried=False
    )


def retry_failed(bulk_send: BulkSend, caller: Caller, actor: Actor) -> tuple[BulkSend, bool]:
    """Accept a new bulk send of the failed rows, by the current template and limits. Return it and True.

    If all of them are in an earlier retry, return that and False. Raises NothingToRetry and the errors of `accept`.
    """
    until = timezone.now()
    failed = failed_rows(bulk_send, until).order_by("number")
    first = failed.first()
    if first is None:
        earlier = bulk_send.retries.order_by("-created_at").first()
        if earlier is None:
            raise errors.NothingToRetry
        return earlier, False

    def rows() -> Iterator[list[Cell]]:
        yield list(bulk_send.names)
        block = list(failed[:ROWS_AT_ONCE])  # by key, because `accept` has transactions of its own between two blocks
        while block:
            yield from (row.cells for row in block)
            block = list(failed.filter(number__gt=block[-1].number)[:ROWS_AT_ONCE])

    def keep(retry: BulkSend) -> None:
        ids = failed_rows(bulk_send, until).values("pk")
        if bulk_send.rows.filter(pk__in=ids, is_retried=False).update(is_retried=True) != retry.row_count:
            raise errors.NothingToRetry  # another retry was accepted meanwhile

    has_references = any(key(name) == key(REFERENCE) for name in bulk_send.names)
    sender = (bulk_send.sms_sender_id or bulk_send.reply_to_id) if bulk_send.is_sender_chosen else None
    request = BulkRequest(
        template_id=bulk_send.template_id,
        name=bulk_send.name,
        language=bulk_send.language or None,
        reply_to_id=GivenId(sender, str(sender)) if sender else None,
        reference=None if has_references else first.reference,
    )
    return accept(caller, request, lambda: tables.from_rows(rows()), actor=actor, keep=keep, retry_of=bulk_send), True
