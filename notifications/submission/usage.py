"""When a key or a sender was last used: what an operator asks before taking it away. Once a minute is enough."""

import time
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone

from notifications.models import ApiKey, ReplyToAddress, SmsSender

INTERVAL = timedelta(minutes=1)

_noted: dict[UUID, float] = {}


def note_key(key: ApiKey, client: str) -> None:
    """Store that this client calls with `key`."""
    longest = ApiKey._meta.get_field("last_client").max_length
    _note(key, last_client=client[:longest])


def note_sender(sender: SmsSender | ReplyToAddress) -> None:
    _note(sender)


def _note(row: ApiKey | SmsSender | ReplyToAddress, **more: str) -> None:
    """Write at most once a minute over all processes; a failure is no reason to refuse what is being answered."""
    now = time.monotonic()
    if now - _noted.get(row.id, float("-inf")) < INTERVAL.total_seconds():
        return
    _noted[row.id] = now
    moment = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - INTERVAL)
    with suppress(DatabaseError):
        type(row).objects.filter(stale, id=row.id).update(last_used_at=moment, **more)
