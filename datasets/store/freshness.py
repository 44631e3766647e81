"""Find data sets that are late, and record once when one becomes late and once when it recovers.

Source: docs/reference/data-sets.md §15.
"""

from datetime import datetime, timedelta
from enum import StrEnum

import structlog
from django.db import transaction
from django.utils import timezone

from config import audit
from config.data_sets import FreshnessChange, freshness_changed
from config.metrics import registry
from datasets.models import DataSet

log = structlog.get_logger()


class State(StrEnum):
    NOT_WATCHED = "not watched"
    EMPTY = "no data yet"
    FRESH = "fresh"
    LATE = "late"


def state(data_set: DataSet, now: datetime | None = None) -> State:
    """Return the state by the last POST that stored records. Emptying and clean-up do not count."""
    if data_set.expected_every_seconds is None:
        return State.NOT_WATCHED
    if data_set.last_write_at is None:
        return State.EMPTY
    return State.FRESH if late_by(data_set, now) <= timedelta() else State.LATE


def late_by(data_set: DataSet, now: datetime | None = None) -> timedelta:
    """Return the time since the expected write; zero or negative if the data set is on time."""
    expected_every = timedelta(seconds=data_set.expected_every_seconds or 0)
    return (now or timezone.now()) - (data_set.last_write_at or timezone.now()) - expected_every


def check_freshness() -> int:
    """Record each data set that became late or recovered since the last check, and return their number.

    The state is stored together with its audit entry, so that two clocks never record a change twice.
    """
    watched = DataSet.objects.filter(expected_every_seconds__isnull=False) | DataSet.objects.exclude(late_since=None)
    changed = 0
    for data_set in watched.select_related("group", "type").order_by("pk"):
        is_late = state(data_set) == State.LATE
        if is_late != (data_set.late_since is not None):
            changed += _note(data_set.pk, is_late=is_late)
    return changed


@transaction.atomic
def _note(pk: int, *, is_late: bool) -> int:
    locked = DataSet.objects.select_related("group", "type").select_for_update(no_key=True, of=("self",))
    data_set = locked.filter(pk=pk).first()
    # Check again under the lock, because a write or another clock may have changed the row.
    if data_set is None or (state(data_set) == State.LATE) != is_late or (data_set.late_since is not None) == is_late:
        return 0
    now = timezone.now()
    DataSet.objects.filter(pk=pk).update(late_since=now if is_late else None)
    if is_late:
        registry.LATE.add()
        log.warning("data_set.late", data_set=pk)
    last = data_set.last_write_at.isoformat() if data_set.last_write_at else None
    after = {"last_write_at": last, "expected_every_seconds": data_set.expected_every_seconds}
    audit.record(audit.CLOCK, "found_late" if is_late else "found_recovered", data_set, after=after)
    freshness_changed.send(DataSet, change=_change(data_set, now, is_late=is_late))
    return 1


def _change(data_set: DataSet, now: datetime, *, is_late: bool) -> FreshnessChange:
    return FreshnessChange(
        data_set_id=data_set.pk,
        name=data_set.name,
        path=str(data_set),
        is_late=is_late,
        state=state(data_set, now).value,
        last_write_at=data_set.last_write_at,
        expected_every_seconds=data_set.expected_every_seconds,
        at=now,
    )
