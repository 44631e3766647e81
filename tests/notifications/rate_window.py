"""Move the counted requests of a service into the past, because waiting for a minute takes a minute.

`submission/test_rate.py` tests the clocks of both stores.
"""

import redis
from django.conf import settings
from django.db.models import F

from notifications.models import RateSlot
from notifications.submission import rate


def move_back(service_id: str) -> None:
    """Let a minute pass for the rate limit of the service."""
    counted = RateSlot.objects.filter(service_id=service_id).exclude(slot=rate.LOCK_SLOT)
    counted.update(slot=F("slot") - rate.WINDOW_MS // rate.SLOT_MS)
    if not settings.REDIS_URL:
        return
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        for key in client.scan_iter(f"*rate:{service_id}:*"):
            for place, at in enumerate(client.lrange(key, 0, -1)):
                client.lset(key, place, str(int(at) - rate.WINDOW_MS))
