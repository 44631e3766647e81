"""When a message is tried again, and when Signalbox gives up.

Source: docs/reference/sending-api.md §19; docs/reference/security.md §11.
"""

import random
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from notifications.delivery.stopped_channels import stopped_time
from notifications.models import Channel

_DELAYS = [
    timedelta(seconds=5),
    timedelta(seconds=30),
    timedelta(minutes=2),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(minutes=30),
]
_LATER = timedelta(hours=1)
_OPEN_CIRCUIT_DELAY = timedelta(minutes=1)  # a provider with an open circuit gets one message a minute as a probe
_SPREAD = 0.2  # ± 20 %, so that messages that failed together are not retried together


def give_up_hours(channel: str) -> int:
    hours: int = settings.GIVE_UP_SMS_HOURS if channel == Channel.SMS else settings.GIVE_UP_EMAIL_HOURS
    return hours


def last_chance(channel: Channel, due_at: datetime) -> datetime:
    """Return the give-up time of a message. The time in which its channel was stopped does not count."""
    usual, now = due_at + timedelta(hours=give_up_hours(channel)), timezone.now()
    return usual if now < usual else usual + stopped_time(channel, due_at, now)


def delay_after(failed_attempts: int, *, another_provider: bool, chance: random.Random) -> timedelta:
    """Return how long to wait before the next attempt: not at all after the first failure if another provider can send.

    >>> delay_after(2, another_provider=True, chance=random.Random(4))
    datetime.timedelta(seconds=26, microseconds=832577)
    """
    if failed_attempts == 1 and another_provider:
        return timedelta(0)
    delay = _DELAYS[failed_attempts - 1] if failed_attempts <= len(_DELAYS) else _LATER
    return delay * chance.uniform(1 - _SPREAD, 1 + _SPREAD)


def until_next_probe(chance: random.Random) -> timedelta:
    """Return the delay of a message that no provider with a closed circuit can take."""
    return _OPEN_CIRCUIT_DELAY * chance.uniform(1 - _SPREAD, 1 + _SPREAD)
