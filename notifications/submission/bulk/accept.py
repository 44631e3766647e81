"""Accept a bulk send: store it with all its rows, and count its messages, or do neither.

Source: docs/reference/bulk-sending.md §3, §7.
"""

from collections.abc import Callable
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from config import audit
from config.audit import Actor
from notifications import errors
from notifications.bulk_tables.check import limit_errors
from notifications.bulk_tables.tables import Table
from notifications.models import (
    ApiKey,
    BulkRow,
    BulkSend,
    BulkState,
    CallbackDelivery,
    Channel,
    LimitKind,
    MessageOrigin,
    RowState,
)
from notifications.rendering import placeholders
from notifications.submission import limits, usage
from notifications.submission.bulk import judge, waking
from notifications.submission.bulk.judge import Judged
from notifications.submission.bulk.requests import BulkRequest, ChosenSender, find_sender, find_template
from notifications.submission.callers import Caller
from notifications.submission.templates import TemplateText, use_counts

TRIES = 3  # each time the daily limit had room until other messages were counted

Keep = Callable[[BulkSend], None]  # stores further rows in the transaction of the bulk send

log = structlog.get_logger()


class _NoRoomLeft(Exception):
    """Other messages were counted after the check, so the daily limit has no room: the transaction is rolled back."""


def accept(
    caller: Caller,
    request: BulkRequest,
    table: Callable[[], Table],
    *,
    actor: Actor,
    keep: Keep | None = None,
    retry_of: BulkSend | None = None,
) -> BulkSend:
    """Check the request and its table, and store the bulk send.

    table: opens the table; called once the template, the channel and the sender are checked
    keep: called in the transaction, with the stored bulk send
    Raises a NotificationError.
    """
    template = find_template(caller, request.template_id, request.language)
    sender = find_sender(caller.service, template.type, request.reply_to_id)
    judged = Judged(caller, template, table(), reference=request.reference)
    try:
        judged.raise_errors()
        bulk_send = _new(caller, request, template, sender, judged)
        bulk_send.retry_of = retry_of
        _store(caller, bulk_send, judged, actor, keep)
    except errors.InvalidTable:
        use_counts.count_failing(caller, template, dict.fromkeys(judged.sent_names, ""))
        raise
    finally:
        judged.close()
    if used := sender.sms_sender or sender.reply_to:
        usage.note_use(used)
    given = placeholders.keyed(dict.fromkeys(judged.sent_names, ""))
    use_counts.count(caller, template, given, language=request.language)
    log.info("bulk_send.accepted", bulk_send_id=str(bulk_send.id), rows=bulk_send.row_count)
    return bulk_send


def send_draft(
    draft: BulkSend, caller: Caller, *, actor: Actor, scheduled_for: datetime | None, leaves_out: bool
) -> None:
    """Send a draft whose rows are checked. leaves_out: rows with errors get no message.

    Raises BulkSendNotReady if the draft has unchecked rows, rows with errors that must not be left out, or no good row;
    InvalidTable if the daily limit has no room.
    """
    now = timezone.now()
    counts = _counts_of(draft)
    is_blocked = counts["unchecked"] or (counts["left_out"] and not leaves_out) or not counts["good"]
    if is_blocked:
        raise errors.BulkSendNotReady
    numbers = {LimitKind(draft.channel): counts["waiting"]}
    if draft.channel == Channel.SMS:
        numbers[LimitKind.INTERNATIONAL_SMS] = counts["international"]
    with transaction.atomic():
        changes = {
            **_started(counts["waiting"], scheduled_for, now),
            "row_count": counts["good"],
            **{name: counts[name] for name in ("waiting", "simulated", "left_out")},
        }
        drafts = BulkSend.objects.filter(pk=draft.pk, state=BulkState.DRAFT)
        if not drafts.update(**changes, accepted_at=now, created_at=now, updated_at=now):
            raise errors.BulkSendNotReady
        draft.refresh_from_db()
        if not limits.count(caller, numbers):
            raise _limit_error(caller, Channel(draft.channel), counts["waiting"], counts["international"])
        _record(draft, actor)
        waking.wake()


def _new(
    caller: Caller, request: BulkRequest, template: TemplateText, sender: ChosenSender, judged: Judged
) -> BulkSend:
    now, service = timezone.now(), caller.service
    by_key = isinstance(caller, ApiKey)
    check = judged.check
    waiting = check.row_count - check.simulated - check.repeated
    return BulkSend(
        service=service,
        **({"api_key": caller} if by_key else {"origin": MessageOrigin.CONSOLE, "created_by": caller.name}),
        key_type=caller.key_type,
        request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
        name=request.name,
        channel=template.type,
        template_id=template.id,
        template_version=template.version,
        language=request.language or "",
        service_name=service.name,
        prefix_sms=service.prefix_sms,
        sms_sender=sender.sms_sender,
        reply_to=sender.reply_to,
        is_sender_chosen=sender.is_chosen,
        names=judged.names,
        table_hash=judged.table_hash,
        **_started(waiting, request.scheduled_for, now),
        accepted_at=now,
        created_at=now,
        updated_at=now,
        row_count=check.row_count,
        waiting=waiting,
        simulated=check.simulated,
        repeat=check.repeated,
    )


def _started(waiting: int, scheduled_for: datetime | None, now: datetime) -> dict[str, object]:
    """Return the state of a bulk send that is accepted now. Without a row that waits it is finished."""
    if not waiting:
        state, moments = BulkState.FINISHED, {"processing_started": now, "processing_finished": now}
    else:
        state, moments = BulkState.SCHEDULED if scheduled_for else BulkState.PENDING, {}
    return {"state": state, "scheduled_for": scheduled_for, "next_step_at": scheduled_for or now, **moments}


def _store(caller: Caller, bulk_send: BulkSend, judged: Judged, actor: Actor, keep: Keep | None) -> None:
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                bulk_send.save(force_insert=True)
                BulkRow.objects.store(bulk_send, judged.lines())
                if keep:
                    keep(bulk_send)
                if not limits.count(caller, judged.counted):  # at the end: locks the counters for the shortest time
                    raise _NoRoomLeft
                _record(bulk_send, actor)
                waking.wake()
        except _NoRoomLeft:
            judged.refresh_limits()
            judged.raise_errors()
        else:
            return
    raise errors.Unavailable


def _record(bulk_send: BulkSend, actor: Actor) -> None:
    """Audit the acceptance. Without a row that waits, the bulk send has ended already."""
    after = {"rows": bulk_send.row_count, "left_out": bulk_send.left_out, "simulated": bulk_send.simulated}
    audit.record(actor, "sent", after=after, **audit.about(bulk_send))
    if bulk_send.has_ended:
        CallbackDelivery.objects.owe_bulk_send(bulk_send)


def _counts_of(draft: BulkSend) -> dict[str, int]:
    of_state = {state: Count("pk", filter=Q(state=state)) for state in RowState}
    counts = draft.rows.aggregate(
        **{state.value: of_state[state] for state in RowState},
        international=Count("pk", filter=Q(state=RowState.WAITING, is_counted_international=True)),
    )
    return {**counts, "good": counts["waiting"] + counts["simulated"]}


def _limit_error(caller: Caller, channel: Channel, count: int, international: int) -> errors.InvalidTable:
    found = limit_errors(judge.limits_for(caller, channel), count, international, is_email=channel is Channel.EMAIL)
    shown = [judge.error_of(error, caller.service, channel) for error in found]
    return errors.InvalidTable(shown or [errors.Unavailable()])  # others have been cancelled meanwhile
