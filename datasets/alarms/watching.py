"""Check all alarms: raise those whose condition holds, end the others, and write the messages to people.

The state, its audit entry and its messages are stored in one transaction that locks the alarm. So two clocks, or a
clock that is killed, never raise an alarm twice or lose its end. Source: docs/reference/alarms.md §3.
"""

from datetime import datetime, timedelta

import structlog
from django.db import DatabaseError, transaction
from django.utils import timezone

from config import audit
from config.data_sets import DataSetChange, data_set_changed
from datasets.alarms import measures, notifying
from datasets.errors import DataSetError
from datasets.models import Alarm, AlarmCondition

_QUERY = ("saved_query__data_set__group", "saved_query__data_set__type")
_STATE = ["value", "met_since", "raised_at", "notified_at", "last_notified_at"]

log = structlog.get_logger()


def check_alarms() -> int:
    """Check each alarm once, and return how many were raised or ended. One that cannot be read stops no other."""
    changed = 0
    for pk in list(Alarm.objects.order_by("pk").values_list("pk", flat=True)):
        try:
            for alarm in Alarm.objects.filter(pk=pk, saved_query__isnull=False).select_related(*_QUERY):
                measures.prepare(alarm, timezone.now())
            changed += _check(pk)
        except DatabaseError as error:  # such as the time limit of a statement
            log.warning("alarm.not_checked", alarm=pk, error=type(error).__name__)
    return changed


@transaction.atomic
def _check(pk: int) -> int:
    rows = Alarm.objects.select_related("data_set__group", "data_set__type", *_QUERY).select_for_update(of=("self",))
    alarm = rows.filter(pk=pk).first()
    if alarm is None:
        return 0
    now = timezone.now()
    before = [getattr(alarm, name) for name in _STATE]
    try:
        alarm.value = measures.value_of(alarm, now)
        has_changed = _move(alarm, now)
    except DataSetError as error:  # an alarm that cannot be read has not ended
        log.warning("alarm.query_failed", alarm=alarm.pk, error=str(error))
        has_changed = False
    if has_changed:
        _record(alarm, now)
    notifying.notify(alarm, now)
    if before != [getattr(alarm, name) for name in _STATE]:
        alarm.save(update_fields=_STATE)
    return int(has_changed)


def is_met(alarm: Alarm) -> bool:
    """Return whether the condition holds. Without a value it does not."""
    if alarm.value is None:
        return False
    if alarm.condition == AlarmCondition.BEYOND:
        return abs(alarm.value) > alarm.limit
    return alarm.value > alarm.limit if alarm.condition == AlarmCondition.ABOVE else alarm.value < alarm.limit


def _move(alarm: Alarm, now: datetime) -> bool:
    """Raise or end the alarm. Return whether its state has changed."""
    if not is_met(alarm):
        alarm.met_since = None
        was_raised, alarm.raised_at = alarm.is_raised, None
        return was_raised
    if alarm.is_raised:
        return False
    alarm.met_since = alarm.met_since or now
    if now - alarm.met_since < timedelta(minutes=alarm.grace_minutes):
        return False
    alarm.raised_at, alarm.met_since = now, None
    return True


def _record(alarm: Alarm, now: datetime) -> None:
    data_set = alarm.data_set
    after = {"alarm": alarm.name, "value": alarm.value, "limit": alarm.limit}
    audit.record(audit.CLOCK, "raised_alarm" if alarm.is_raised else "ended_alarm", data_set, after=after)
    log.info("alarm.raised" if alarm.is_raised else "alarm.ended", alarm=alarm.pk, data_set=data_set.pk)
    change = DataSetChange(
        event="alarm.raised" if alarm.is_raised else "alarm.ended",
        data_set_id=data_set.pk,
        name=data_set.name,
        path=str(data_set),
        at=now,
        details={
            "alarm": alarm.name,
            "measure": alarm.measure,
            "value": alarm.value,
            "condition": alarm.condition,
            "limit": alarm.limit,
        },
    )
    data_set_changed.send(Alarm, change=change)
