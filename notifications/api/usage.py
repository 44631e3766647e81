"""When a key was last used and by which client: what an operator asks before revoking it. Once a minute is enough."""

import time
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from notifications.models import ApiKey

INTERVAL = timedelta(minutes=1)

_noted: dict[UUID, float] = {}


def note(key: ApiKey, client: str) -> None:
    """Store that `key` is in use, at most once a minute over all processes."""
    now = time.monotonic()
    if now - _noted.get(key.id, float("-inf")) < INTERVAL.total_seconds():
        return
    _noted[key.id] = now
    moment = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=moment - INTERVAL)
    longest = ApiKey._meta.get_field("last_client").max_length
    ApiKey.objects.filter(stale, id=key.id).update(last_used_at=moment, last_client=client[:longest])
