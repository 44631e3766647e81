"""Count the calls of each key, and keep what was refused, off the road of the call.

Source: Staff console §2.3.
"""

from collections import defaultdict, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime
from threading import Lock
from uuid import UUID

import structlog
from django.utils import timezone

from config import figures
from config.tally import Tally, storing
from notifications.models import ApiKey, ApiKeyDay, ApiRefusal
from notifications.models.key_usage import REFUSALS_KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a call was refused, in our own words alone; fields as in `notifications.models.ApiRefusal`."""

    status: int
    kind: str
    slug: str = ""
    seconds_apart: int | None = None


class _Newest:
    """The newest refusals of each key."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows = self._none()

    def add(self, *rows: ApiRefusal) -> None:
        with self._lock:
            for row in rows:
                self._rows[row.key_id].append(row)

    def take(self) -> list[ApiRefusal]:
        with self._lock:
            taken, self._rows = self._rows, self._none()
        return [row for rows in taken.values() for row in rows]

    @staticmethod
    def _none() -> defaultdict[UUID, deque[ApiRefusal]]:
        return defaultdict(lambda: deque(maxlen=REFUSALS_KEPT))


_calls: Tally[tuple[UUID, date]] = Tally()
_refused: Tally[tuple[UUID, date]] = Tally()
_refusals = _Newest()


def note(key_id: UUID, refusal: Refusal | None = None) -> None:
    """Count one answered call."""
    now = timezone.now()
    day = now.astimezone(UTC).date()
    _calls.add((key_id, day))
    if refusal is not None:
        _refused.add((key_id, day))
        _refusals.add(_row(key_id, now, refusal))


def store_pending() -> None:
    """Put what is pending into its rows."""
    refusals, refused, calls = _refusals.take(), _refused.take(), _calls.take()  # what was refused was a call before
    if not calls:
        return

    def give_back() -> None:
        _calls.give_back(calls)
        _refused.give_back(refused)
        _refusals.add(*refusals)

    with storing(give_back):
        known = {key_id for key_id, _ in calls}
        known = set(ApiKey.objects.filter(pk__in=known).values_list("pk", flat=True))  # a service may have gone
        days = [
            ApiKeyDay(key_id=key_id, day=day, calls=number, refused=refused[key_id, day])
            for (key_id, day), number in sorted(calls.items())  # in one order: two processes never wait in a ring
            if key_id in known
        ]
        ApiKeyDay.objects.add(days)
        ApiRefusal.objects.keep([row for row in refusals if row.key_id in known])


def _row(key_id: UUID, at: datetime, refusal: Refusal) -> ApiRefusal:
    return ApiRefusal(
        key_id=key_id,
        at=at,
        status=refusal.status,
        kind=refusal.kind,
        slug=refusal.slug,
        seconds_apart=refusal.seconds_apart,
        request_id=str(structlog.contextvars.get_contextvars().get("request_id", "")),
    )


figures.also_flush(store_pending)
