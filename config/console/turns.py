"""Work on a row by turns: one process at a time, and one that has been silent for LEASE is taken for dead.

The row has `holder`, the process whose turn it is, `seen_at`, when that was last heard of by the database's clock, and
`finished_at`. Whoever works writes its progress through `mine`, which finds nothing once somebody else took over.
"""

import time
import uuid
from datetime import timedelta
from typing import Any  # rows of any model with these three fields

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

LEASE = timedelta(seconds=120)  # longer than any batch
FORGOTTEN_AFTER = timedelta(seconds=30)  # without a holder: the queue has lost the hint of the next turn
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.005, 0.5
PAUSE_BY_WORK = {"sqlite": 4, "postgresql": 1}


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
    """Pause for as long as the batch took; on SQLite, which lets one write at a time, for four times as long.

    Who waits there looks only now and then, and at last every 0.1 s; so most of the time must be free for it.
    since: when the batch began, by time.monotonic()
    """
    pause = (time.monotonic() - since) * PAUSE_BY_WORK[connection.vendor]
    time.sleep(min(max(pause, SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS))
