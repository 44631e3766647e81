"""Count calls by token, and calls without a valid token, in memory; write the counts every few seconds.

Source: docs/reference/console.md §2.15 (calls 7 days; only counted).
"""

from collections import Counter
from datetime import date, datetime

from django.db.models import F
from django.utils import timezone

from config.metrics import registry
from config.metrics.registry import PendingCounts, storing
from datasets.models import AccessToken, AccessTokenDay, DataSet, DataSetDay, HourlyRequests
from datasets.validation import is_path_part

_MAX_PATHS = 1_000  # callers choose these paths, so memory must have a limit

_calls: PendingCounts[tuple[int, datetime]] = PendingCounts()  # by token and UTC hour
_without_token: PendingCounts[tuple[str, str, date]] = PendingCounts(max_keys=_MAX_PATHS)


def count_call(token_id: int) -> None:
    """Count a call with this valid token."""
    _calls.add((token_id, timezone.now().replace(minute=0, second=0, microsecond=0)))


def count_unauthenticated_call(group: str, type: str) -> None:
    """Count a call to this path without a valid token. The data set need not exist."""
    if is_path_part(group) and is_path_part(type):
        _without_token.add((group, type, timezone.now().date()))


def store_pending() -> None:
    """Add the pending counts to the rows of their days."""
    calls, unauthenticated = _calls.take(), _without_token.take()
    if not calls and not unauthenticated:
        return

    def give_back() -> None:
        _calls.give_back(calls)
        _without_token.give_back(unauthenticated)

    with storing(give_back):
        _store_calls(calls)
        _store_unauthenticated(unauthenticated)


def _store_calls(calls: Counter[tuple[int, datetime]]) -> None:
    tokens = AccessToken.objects.filter(pk__in={pk for pk, _ in calls})
    known = dict(tokens.values_list("pk", "data_set_id"))
    hours: Counter[tuple[int, datetime]] = Counter()
    for (token_id, hour), number in sorted(calls.items()):  # sorted, so that two processes cannot deadlock
        if token_id in known:
            day = hour.date()
            hours[known[token_id], hour] += number
            AccessTokenDay.objects.bulk_create([AccessTokenDay(token_id=token_id, day=day)], ignore_conflicts=True)
            AccessTokenDay.objects.filter(token_id=token_id, day=day).update(calls=F("calls") + number)
    HourlyRequests.objects.add(hours)


def _store_unauthenticated(unauthenticated: Counter[tuple[str, str, date]]) -> None:
    for (group, type, day), number in sorted(unauthenticated.items()):
        for data_set_id in DataSet.objects.at(group, type).values_list("pk", flat=True):
            DataSetDay.objects.add(data_set_id, day, without_token=number)


registry.also_flush(store_pending)
