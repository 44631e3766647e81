"""When a message is tried again.

Source: docs/reference/sending-api.md §19; docs/reference/security.md §11.
"""

import random
from datetime import timedelta

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
