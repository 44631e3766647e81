"""How fresh a data set is, and the clock's word on it: said once when it turns late, once when it recovers.

Source: Data Set contract §15.
"""

from datetime import datetime, timedelta
from enum import StrEnum

import structlog
from django.db import transaction
from django.utils import timezone

from config import figures
from config.console import audit
from datasets.models import DataSet

log = structlog.get_logger()


class State(StrEnum):
    NOT_WATCHED = "not watched"
    SILENT = "silent"
    FRESH = "fresh"
    LATE = "late"


def state(data_set: DataSet, now: datetime | None = None) -> State:
    """Judge by the last POST that stored something; emptying and clean-up do not count."""
    if data_set.expected_every_seconds is None:
        return State.NOT_WATCHED
    if data_set.last_write_at is None:
        return State.SILENT
    return State.FRESH if late_by(data_set, now) <= timedelta() else State.LATE


def late_by(data_set: DataSet, now: datetime | None = None) -> timedelta:
    """Return how long after the expected moment it is; nothing or less while it has not come."""
    expected_every = timedelta(seconds=data_set.expected_every_seconds or 0)
    return (now or timezone.now()) - (data_set.last_write_at or timezone.now()) - expected_every


def check_freshness() -> int:
    """Note which sets have turned late or recovered since the last look, an audit entry for each; return how many.

    What was noted is in the row, and changes only with the entry: two clocks, or one that died, say nothing twice.
    """
    watched = DataSet.objects.filter(expected_every_seconds__isnull=False) | DataSet.objects.exclude(late_since=None)
    turned = 0
    for data_set in watched.select_related("group", "type").order_by("pk"):
        is_late = state(data_set) == State.LATE
        if is_late != (data_set.late_since is not None):
            turned += _note(data_set.pk, is_late=is_late)
    return turned


@transaction.atomic
def _note(pk: int, *, is_late: bool) -> int:
    locked = DataSet.objects.select_related("group", "type").select_for_update(no_key=True, of=("self",))
    data_set = locked.filter(pk=pk).first()
    # Looked at again under the lock: a write, or another clock, may have come between.
    if data_set is None or (state(data_set) == State.LATE) != is_late or (data_set.late_since is not None) == is_late:
        return 0
    now = timezone.now()
    DataSet.objects.filter(pk=pk).update(late_since=now if is_late else None)
    if is_late:
        figures.LATE.add()
        log.warning("data_set.late", data_set=pk)
    last = data_set.last_write_at.isoformat() if data_set.last_write_at else None
    audit.record(
        audit.CLOCK,
        "found_late" if is_late else "found_recovered",
        object_kind="dataset",
        object_id=pk,
        label=str(data_set),
        data_set_id=pk,
        after={"last_write_at": last, "expected_every_seconds": data_set.expected_every_seconds},
    )
    return 1
