"""Turn rows of bulk sends into messages, a step at a time. Source: docs/reference/bulk-sending.md §3.

The lease keeps other workers away from the rows, so that they are rendered before the transaction begins.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from django.db import connection, transaction
from django.db.models import F, Min
from django.db.models.functions import Now
from django.utils import timezone

from config.metrics import registry
from config.queue.lease import Lease, LostLease
from notifications.bulk_tables import columns as matching
from notifications.bulk_tables.columns import UNSUBSCRIBE_URL, TableColumns
from notifications.bulk_tables.rows import Value, values_of
from notifications.delivery import quiet_hours, repeats
from notifications.models import (
    BulkRow,
    BulkSend,
    BulkState,
    CallbackDelivery,
    Channel,
    Lane,
    Notification,
    RowState,
    Status,
    TemplateVersion,
)
from notifications.rendering import email, placeholders, sms
from notifications.submission.bulk import counters
from notifications.submission.templates import text_of

STEP_ROWS = {"postgresql": 500, "sqlite": 100}  # other writers of SQLite wait for the whole step
MOST_WAITING = 2_000  # messages of one bulk send that no worker has claimed
FULL_FOR = timedelta(seconds=1)  # until a bulk send with so many messages is looked at again
CANDIDATES = 20

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """The result of one step. made: messages; again_in: when the bulk send needs the next step, or None"""

    made: int = 0
    again_in: timedelta | None = None


def take_next(*, most_rows: int | None = None, most_waiting: int = MOST_WAITING) -> StepResult | None:
    """Take one step of the bulk send that was served longest ago. Return None if none is due."""
    most_rows = most_rows or STEP_ROWS[connection.vendor]
    for bulk_send in BulkSend.objects.due()[:CANDIDATES]:
        lease = bulk_send.lease()
        if lease.take():
            try:
                return _step(bulk_send, lease, most_rows, most_waiting)
            except LostLease:
                log.info("bulk_send.changed", bulk_send_id=str(bulk_send.id))
                return StepResult()
    return None


def waiting_messages(bulk_send: BulkSend) -> Any:  # Any: a query set of messages
    """Return the messages of a bulk send that are not sent yet, claimed or not."""
    return Notification.objects.filter(
        service_id=bulk_send.service_id, status=Status.CREATED, bulk_row__bulk_send=bulk_send
    ).exclude(lane=Lane.SINGLE)


def _step(bulk_send: BulkSend, lease: Lease, most_rows: int, most_waiting: int) -> StepResult:
    bulk_send.refresh_from_db()
    room = most_waiting - waiting_messages(bulk_send).count()
    if room <= 0:
        _release(lease, next_step_at=Now() + FULL_FOR)
        return StepResult(again_in=FULL_FOR)
    due = list(bulk_send.rows.due()[: min(room, most_rows)])
    if not due:
        return _wait(bulk_send, lease)
    rows, delayed = _by_quiet_hours(bulk_send, due)
    messages = _Rendering(bulk_send).messages(rows) if rows else []
    with transaction.atomic():
        repeated = repeats.claim(bulk_send.service, messages)
        made = [message for message in messages if message.id not in repeated]
        _release(lease, **_progress(bulk_send, made=len(made), repeated=len(repeated)))
        _store(bulk_send, made, [message.bulk_row for message in messages if message.id in repeated])
        for until, numbers in delayed.items():
            bulk_send.rows.filter(number__in=numbers).update(not_before=until)
        is_over = bulk_send.waiting <= len(messages)
        if is_over:
            CallbackDelivery.objects.owe_bulk_send(bulk_send)
    return StepResult(made=len(made), again_in=None if is_over else timedelta(0))


def _by_quiet_hours(bulk_send: BulkSend, rows: Sequence[BulkRow]) -> tuple[list[BulkRow], dict[datetime, list[int]]]:
    """Return the rows that may be sent now, and the numbers of the others by the end of their quiet hours."""
    now, service, channel = timezone.now(), bulk_send.service, Channel(bulk_send.channel)
    loud: list[BulkRow] = []
    delayed: dict[datetime, list[int]] = defaultdict(list)
    for row in rows:
        number = row.normalised_recipient if channel is Channel.SMS else ""
        until = quiet_hours.sends_at(service, channel, now, number=number, time_zone=row.time_zone)
        if until > now:
            delayed[until].append(row.number)
        else:
            loud.append(row)
    return loud, delayed


def _store(bulk_send: BulkSend, messages: Sequence[Notification], repeated: Sequence[BulkRow | None]) -> None:
    """Store the messages and the states of their rows. Repeats do not count towards the daily limits."""
    rows = BulkRow.objects.filter(bulk_send=bulk_send)
    rows.filter(pk__in=[message.bulk_row_id for message in messages]).update(state=RowState.MESSAGE)
    Notification.objects.bulk_create(messages)
    count = partial(registry.MESSAGES.add, bulk_send.channel, bulk_send.key_type, Status.CREATED.value)
    transaction.on_commit(partial(count, number=len(messages)))
    if found := [row for row in repeated if row]:
        rows.filter(pk__in=[row.pk for row in found]).update(state=RowState.REPEAT)
        counters.give_back(bulk_send, len(found), sum(row.is_counted_international for row in found))


def _wait(bulk_send: BulkSend, lease: Lease) -> StepResult:
    """Wait for the first row that quiet hours delay."""
    waiting = bulk_send.rows.filter(state=RowState.WAITING)
    first = waiting.aggregate(first=Min("not_before"))["first"]
    if first is None:  # no row waits, although the bulk send counts some
        with transaction.atomic():
            progress = _progress(bulk_send, made=0, repeated=0)
            # Look again later: a step at once would find the same, and keep a worker busy without end.
            _release(lease, **progress, next_step_at=Now() + FULL_FOR)
            if progress["state"] == BulkState.FINISHED:
                CallbackDelivery.objects.owe_bulk_send(bulk_send)
        return StepResult()
    _release(lease, next_step_at=first)
    return StepResult(again_in=max(first - timezone.now(), timedelta(0)))


def _progress(bulk_send: BulkSend, *, made: int, repeated: int) -> dict[str, Any]:  # Any: values of columns
    """Return the columns that a step changes. made: messages; repeated: rows that are repeats"""
    now = timezone.now()
    is_over = bulk_send.waiting <= made + repeated
    has_begun = is_over or made or bulk_send.state == BulkState.IN_PROGRESS
    return {
        "state": BulkState.FINISHED if is_over else BulkState.IN_PROGRESS if has_begun else BulkState.PENDING,
        "waiting": F("waiting") - made - repeated,
        "messages": F("messages") + made,
        "repeat": F("repeat") + repeated,
        "processing_started": bulk_send.processing_started or (now if has_begun else None),
        "processing_finished": now if is_over else None,
        "updated_at": now,
    }


def _release(lease: Lease, **changes: Any) -> None:  # Any: values of columns
    """Store these columns and free the bulk send. Raises LostLease, also if it was paused or cancelled meanwhile."""
    if not lease.release(**changes):
        raise LostLease


class _Rendering:
    """Makes messages of one bulk send from its rows, by the template, sender and service name of its acceptance."""

    def __init__(self, bulk_send: BulkSend) -> None:
        self._bulk_send = bulk_send
        version = TemplateVersion.objects.select_related("template").get(
            template_id=bulk_send.template_id, number=bulk_send.template_version
        )
        self._template = text_of(version).in_language(bulk_send.language)
        names = placeholders.find(self._template.subject, self._template.content)
        self._is_email = bulk_send.channel == Channel.EMAIL
        self._columns: TableColumns = matching.match(
            bulk_send.names, names, is_email=self._is_email, optional=self._template.defaults
        )
        self._common = {
            "service_id": bulk_send.service_id,
            "api_key_id": bulk_send.api_key_id,
            "origin": bulk_send.origin,
            "created_by": bulk_send.created_by,
            "key_type": bulk_send.key_type,
            "request_id": bulk_send.request_id,
            "channel": bulk_send.channel,
            "template_id": bulk_send.template_id,
            "template_version": bulk_send.template_version,
            "language": self._template.language,
            "sms_sender_id": bulk_send.sms_sender_id,
            "reply_to_id": bulk_send.reply_to_id,
            "lane": Lane.BULK,
        }

    def messages(self, rows: Sequence[BulkRow]) -> list[Notification]:
        return [
            Notification(
                **self._common,
                bulk_row=row,
                recipient=row.recipient,
                normalised_recipient=row.normalised_recipient,
                reference=row.reference,
                **(self._email(row) if self._is_email else self._text(row)),
            )
            for row in rows
        ]

    def _email(self, row: BulkRow) -> dict[str, Any]:  # Any: values of columns
        template, values = self._template, self._values(row)
        text = email.render(template.subject, template.content, values, language=template.language)
        column = self._columns.special.get(UNSUBSCRIBE_URL)
        return {
            "subject": text.subject,
            "body": text.filled,
            "unsubscribe_link": self._template.unsubscribe_link,
            "one_click_unsubscribe_url": column.value(row.cells) if column else None,
        }

    def _text(self, row: BulkRow) -> dict[str, Any]:  # Any: values of columns
        prefix = self._bulk_send.service_name if self._bulk_send.prefix_sms else None
        template, values = self._template, self._values(row)
        text = sms.render(template.content, values, prefix=prefix, language=template.language)
        return {
            "body": text.text,
            "parts": text.fragments,
            "rate_multiplier": row.rate_multiplier,
            "is_international": row.is_international,
        }

    def _values(self, row: BulkRow) -> Mapping[str, Value]:
        return values_of(row.cells, self._columns, self._template.defaults)
