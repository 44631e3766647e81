"""When to try again, and when to give up. Source: the sending contract §19.1; Security and reliability §11."""

import random
from datetime import datetime, timedelta

from django.conf import settings

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
_WHILE_PAUSED = timedelta(minutes=1)
_SPREAD = 0.2  # ± 20 %, so that what failed together does not come back together


def give_up_hours(channel: str) -> int:
    hours: int = settings.GIVE_UP_SMS_HOURS if channel == Channel.SMS else settings.GIVE_UP_EMAIL_HOURS
    return hours


def give_up_at(channel: str, due_at: datetime) -> datetime:
    """Return the end of trying, counted from when the message was due."""
    return due_at + timedelta(hours=give_up_hours(channel))


def delay_after(failed_attempts: int, *, another_provider: bool, chance: random.Random) -> timedelta:
    """Return how long to wait after so many failures; the first is followed at once where somebody else can do it.

    >>> delay_after(2, another_provider=True, chance=random.Random(4))
    datetime.timedelta(seconds=26, microseconds=832538)
    """
    if failed_attempts == 1 and another_provider:
        return timedelta(0)
    delay = _DELAYS[failed_attempts - 1] if failed_attempts <= len(_DELAYS) else _LATER
    return delay * chance.uniform(1 - _SPREAD, 1 + _SPREAD)


def delay_while_paused(chance: random.Random) -> timedelta:
    """Return how long to wait while every provider refuses us: one message a minute finds out whether that is over."""
    return _WHILE_PAUSED * chance.uniform(1 - _SPREAD, 1 + _SPREAD)
