"""Limit the attempts to guess an email address: for one file, and from one IP address over all files.

One conditional UPDATE counts an attempt before the comparison. A right email address undoes it. So parallel attempts
never exceed the limit. The counts are in the database, because a cache could lose them.
Source: docs/reference/files.md §9.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, Q, Value, When
from django.utils.crypto import salted_hmac

from config.web.ip_addresses import network_of
from notifications.models import Attachment, ClientTries


@dataclass(frozen=True, slots=True, kw_only=True)
class _TryWindow:
    """A count that restarts with the first attempt after `length`. count, start: the names of its columns"""

    count: str
    start: str
    length: timedelta
    limit: Callable[[], int]

    def is_over(self, now: datetime) -> Q:
        return Q(**{self.start: None}) | Q(**{f"{self.start}__lte": now - self.length})

    def has_room(self, now: datetime) -> Q:
        return self.is_over(now) | Q(**{f"{self.count}__lt": self.limit()})

    def taken(self, now: datetime) -> dict[str, Any]:  # Any: expressions of the ORM
        over = self.is_over(now)
        return {
            self.count: Case(When(over, then=Value(1)), default=F(self.count) + 1),
            self.start: Case(When(over, then=Value(now)), default=F(self.start)),
        }

    def given_back(self) -> dict[str, Any]:
        return {self.count: Case(When(Q(**{f"{self.count}__gt": 0}), then=F(self.count) - 1), default=Value(0))}

    def full_until(self, row: Attachment | ClientTries, now: datetime) -> datetime | None:
        start: datetime | None = getattr(row, self.start)
        if start is None or start + self.length <= now or getattr(row, self.count) < self.limit():
            return None
        return start + self.length


_QUARTER = timedelta(minutes=15)
_DAY = timedelta(days=1)
_FILE_WINDOWS = (
    _TryWindow(count="wrong_tries", start="window_started_at", length=_QUARTER, limit=lambda: settings.FILES_TRIES),
    _TryWindow(count="day_tries", start="day_started_at", length=_DAY, limit=lambda: settings.FILES_TRIES_PER_DAY),
)
_CLIENT_WINDOW = _TryWindow(
    count="tries", start="window_started_at", length=_QUARTER, limit=lambda: settings.FILES_TRIES_PER_IP_ADDRESS
)


def client_tag(ip_address: str | None, now: datetime) -> str:
    """Return the stored form of an IP address: an HMAC with a daily key, for IPv6 of the first 64 bits."""
    return salted_hmac(f"files.client/{now:%Y-%m-%d}", network_of(ip_address), algorithm="sha256").hexdigest()


def locked_until(file_id: UUID, tag: str, now: datetime) -> datetime | None:
    """Return when the next attempt is allowed, or None if it is allowed now."""
    row = Attachment.objects.get(pk=file_id)
    client = ClientTries.objects.filter(tag=tag).first()
    ends = [window.full_until(row, now) for window in _FILE_WINDOWS]
    ends.append(row.locked_until if row.locked_until and row.locked_until > now else None)
    ends.append(_CLIENT_WINDOW.full_until(client, now) if client else None)
    return max((end for end in ends if end), default=None)


def take(file_id: UUID, tag: str, now: datetime) -> bool:
    """Count one attempt against both limits. If either is reached, count nothing and return False."""
    if not _take_of_client(tag, now):
        return False
    if not _take_of_file(file_id, now):
        _give_back_to_client(tag)
        return False
    return True


def give_back(file_id: UUID, tag: str) -> None:
    """Undo an attempt, because the email address was right."""
    changes = {name: value for window in _FILE_WINDOWS for name, value in window.given_back().items()}
    Attachment.objects.filter(pk=file_id).update(**changes)
    _give_back_to_client(tag)


def lock_if_full(file_id: UUID, now: datetime) -> bool:
    """Lock the file if its limit is reached. Return True only for the attempt that locked it."""
    unlocked = Q(locked_until=None) | Q(locked_until__lte=now)
    row = Attachment.objects.get(pk=file_id)
    until = max((end for end in (window.full_until(row, now) for window in _FILE_WINDOWS) if end), default=None)
    return until is not None and Attachment.objects.filter(unlocked, pk=file_id).update(locked_until=until) == 1


def _take_of_file(file_id: UUID, now: datetime) -> bool:
    room = Q(locked_until=None) | Q(locked_until__lte=now)
    changes: dict[str, Any] = {}
    for window in _FILE_WINDOWS:
        room &= window.has_room(now)
        changes |= window.taken(now)
    return Attachment.objects.filter(room, pk=file_id).update(**changes) == 1


def _take_of_client(tag: str, now: datetime) -> bool:
    room = ClientTries.objects.filter(_CLIENT_WINDOW.has_room(now), tag=tag)
    changes = _CLIENT_WINDOW.taken(now)
    if room.update(**changes) == 1:
        return True
    # There is no row yet, or the limit is reached. The first attempt of a client also deletes old rows.
    ClientTries.objects.filter(window_started_at__lte=now - _CLIENT_WINDOW.length).delete()
    ClientTries.objects.bulk_create([ClientTries(tag=tag, tries=0, window_started_at=now)], ignore_conflicts=True)
    return room.update(**changes) == 1


def _give_back_to_client(tag: str) -> None:
    ClientTries.objects.filter(tag=tag).update(**_CLIENT_WINDOW.given_back())
