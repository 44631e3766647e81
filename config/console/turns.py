"""Work on a row by turns: one process at a time, and one that has been silent for LEASE is taken for dead.

The row has `holder`, the process whose turn it is, `seen_at`, when that was last heard of by the database's clock, and
`finished_at`. Whoever works writes its progress through `mine`, which finds nothing once somebody else took over.
"""

import time
import uuid
from datetime import timedelta
from typing import Any  # rows of any model with these three fields

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

LEASE = timedelta(seconds=120)  # longer than any batch
FORGOTTEN_AFTER = timedelta(seconds=30)  # without a holder: the queue has lost the hint of the next turn
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.005, 0.5


class LostRun(Exception):
    """Somebody else took this process for dead, and the row with it."""


def take(rows: QuerySet[Any], pk: object) -> str:
    """Take a turn at the row and return its holder; "" where the row is finished or another process is at it."""
    holder = str(uuid.uuid4())
    free = Q(holder="") | Q(seen_at__lt=Now() - LEASE)
    is_taken = rows.filter(free, pk=pk, finished_at=None).update(holder=holder, seen_at=Now())
    return holder if is_taken else ""


def mine(rows: QuerySet[Any], pk: object, holder: str) -> QuerySet[Any]:
    """Return the row while this process holds it, for a conditional UPDATE."""
    return rows.filter(pk=pk, holder=holder, finished_at=None)


def give_back(rows: QuerySet[Any], pk: object, holder: str) -> None:
    """End the turn; the row is not finished."""
    mine(rows, pk, holder).update(holder="", seen_at=Now())


def rest(since: float) -> None:
    """Pause for as long as the batch took: SQLite lets one write at a time, and those who wait look only now and then.

    since: when the batch began, by time.monotonic()
    """
    time.sleep(min(max(time.monotonic() - since, SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS))
