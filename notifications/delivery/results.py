"""The newest results and the counts of each provider, and the open circuit breakers of worker processes.

A process keeps them in memory and stores them with its metrics, every 5 s, so that no message waits for them. A killed
process loses at most 5 s of them. Rows contain no recipient and no content. Source: docs/reference/console.md §3.14.
"""

import threading
from collections import Counter, deque
from datetime import UTC, datetime, timedelta
from typing import Any  # values of columns

from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from config.metrics import registry
from config.metrics.registry import PendingCounts, storing
from config.queue import worker_processes
from notifications.delivery import providers
from notifications.models import AttemptResult, OpenBreaker, ProviderCount, ProviderResult

KEPT = 50  # newest results of one provider
COUNTS_ARE_KEPT_FOR = timedelta(hours=25)  # the page shows the last day
COUNTED_SECONDS = 300
_MOST_WAITING = 1000  # while the database does not answer

_Key = tuple[datetime, str, str]  # start of the five minutes, provider, result
_New = tuple[str, dict[str, Any]]  # provider and the other columns; making a row takes 11 µs

_lock = threading.Lock()
_new: deque[_New] = deque(maxlen=_MOST_WAITING)
_counts: PendingCounts[_Key] = PendingCounts(max_keys=_MOST_WAITING)
_stored_breakers: dict[str, datetime] = {}  # of this process: provider → when it is half-open


def note(provider: str, result: AttemptResult, *, error: str, seconds: float) -> None:
    """Keep the result of one attempt. error: the reason of a failure, which contains no recipient."""
    now = timezone.now()
    began_at = datetime.fromtimestamp(now.timestamp() // COUNTED_SECONDS * COUNTED_SECONDS, UTC)
    _counts.add((began_at, provider, result.value))
    _new.append((provider, {"at": now, "result": result, "error": error[:100], "ms": round(seconds * 1000)}))


def store() -> None:
    """Store what this process has noted since the last call. Keep it if the database refuses it."""
    _store_breakers()
    with _lock:
        found, counts = list(_new), _counts.take()
        _new.clear()
    if not counts:
        return

    def give_back() -> None:
        _new.extendleft(reversed(found))
        _counts.give_back(counts)

    with storing(give_back):
        _add(counts)
        _store_newest(found)
        ProviderCount.objects.filter(began_at__lt=Now() - COUNTS_ARE_KEPT_FOR).delete()


def _add(counts: Counter[_Key]) -> None:
    """Add the counts to the shared rows, in a fixed order, so that two processes cannot deadlock."""
    for (began_at, provider, result), number in sorted(counts.items()):
        row = ProviderCount.objects.filter(began_at=began_at, provider=provider, result=result)
        if not row.update(number=F("number") + number):
            ProviderCount.objects.bulk_create(
                [ProviderCount(began_at=began_at, provider=provider, result=result, number=0)], ignore_conflicts=True
            )
            row.update(number=F("number") + number)


def _store_newest(found: list[_New]) -> None:
    """Store the newest KEPT results of each provider, and delete older ones."""
    of_provider: dict[str, deque[ProviderResult]] = {}
    for provider, columns in found:
        newest = of_provider.setdefault(provider, deque(maxlen=KEPT))
        newest.append(ProviderResult(provider=provider, **columns))
    ProviderResult.objects.bulk_create([result for results in of_provider.values() for result in results])
    for provider in of_provider:
        older = ProviderResult.objects.filter(provider=provider).order_by("-at", "-id")[KEPT:]
        ProviderResult.objects.filter(pk__in=list(older.values_list("pk", flat=True))).delete()


def _store_breakers() -> None:
    """Store which circuit breakers of this process are open or half-open, if that has changed."""
    now = timezone.now()
    half_open_at = {
        provider.name: now + timedelta(seconds=left)
        for provider in providers.configured()
        if (left := provider.breaker.seconds_until_half_open()) is not None
    }
    if not half_open_at and not _stored_breakers:
        return
    holder = worker_processes.this_process.holder
    with storing(lambda: None):
        mine = OpenBreaker.objects.filter(holder=holder)
        mine.exclude(provider__in=half_open_at).delete()
        OpenBreaker.objects.bulk_create(
            [OpenBreaker(provider=name, holder=holder, half_open_at=at) for name, at in half_open_at.items()],
            update_conflicts=True,
            unique_fields=["provider", "holder"],
            update_fields=["half_open_at"],
        )
        _stored_breakers.clear()
        _stored_breakers.update(half_open_at)


registry.also_flush(store)
