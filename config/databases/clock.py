"""The time of the database, which decides what is deleted and what has expired.

The clocks of machines differ. A worker whose clock was 30 days ahead deleted all messages of the last 30 days.
"""

from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

_EPOCH = {
    "postgresql": "SELECT EXTRACT(EPOCH FROM CLOCK_TIMESTAMP())",
    "sqlite": "SELECT (JULIANDAY('now') - 2440587.5) * 86400",
}


class ClockDiffers(Exception):
    """The clock of this process differs too much from that of the database."""


def difference() -> timedelta:
    """Return by how much the clock of this process is ahead of the database's. On SQLite both are of one machine."""
    before = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(_EPOCH[connection.vendor])
        (epoch,) = cursor.fetchone()
    # The statement ran between the two readings, so a slow database is not a difference.
    between = before + (timezone.now() - before) / 2
    return timedelta(seconds=between.timestamp() - float(epoch))


def is_far(apart: timedelta) -> bool:
    return abs(apart) > timedelta(seconds=settings.MOST_CLOCK_DIFFERENCE_SECONDS)


def check() -> None:
    """Raise ClockDiffers if this process must not decide what is old."""
    apart = difference()
    if is_far(apart):
        raise ClockDiffers(described(apart))


def described(apart: timedelta) -> str:
    """Return the difference in words.

    >>> described(timedelta(days=30)), described(timedelta(minutes=-2))
    ('the clock is 2592000 s ahead of the database', 'the clock is 120 s behind the database')
    """
    seconds = round(abs(apart).total_seconds())
    return f"the clock is {seconds} s {'ahead of' if apart > timedelta(0) else 'behind'} the database"
