"""Use of API keys: last use, calls by day and endpoint, refused calls, newest messages and templates.

Source: docs/reference/console.md §2.3.
"""

from datetime import datetime, timedelta
from heapq import nlargest
from typing import Any

from django.db.models import IntegerField, Max, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from config.utc_days import today
from notifications import errors
from notifications.models import (
    ApiCallError,
    ApiKey,
    ApiKeyDay,
    EndpointCalls,
    KeyType,
    MessageOrigin,
    Notification,
    Service,
)

WEEK = timedelta(days=7)
ACTIVE_FOR, QUIET_FOR = timedelta(days=1), WEEK
DAYS_SHOWN = 30
CALLS_SHOWN = 20
MOST_TEMPLATES = 10


def in_a_word(key: ApiKey, now: datetime) -> tuple[str, str]:
    """Return a label for the last use of a key, and the tone of its chip."""
    if key.last_used_at is None:
        return "Unused", ""
    age = now - key.last_used_at
    if age <= ACTIVE_FOR:
        return "Active", "good"
    return ("Quiet", "") if age <= QUIET_FOR else ("Dormant", "warn")


def with_week(keys: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
    """Add `calls` and `refused` of the last seven UTC days to each key."""
    week = ApiKeyDay.objects.filter(key=OuterRef("pk"), day__gt=today() - WEEK).order_by().values("key")
    return keys.annotate(calls=_sum(week, "calls"), refused=_sum(week, "refused"))


def days(key: ApiKey) -> list[ApiKeyDay]:
    """Return the last 30 UTC days, oldest first. A day without calls has zeros."""
    shown = [today() - timedelta(days=ago) for ago in reversed(range(DAYS_SHOWN))]
    found = {row.day: row for row in ApiKeyDay.objects.filter(key=key, day__gte=shown[0])}
    return [found.get(day) or ApiKeyDay(day=day) for day in shown]


def endpoints(key: ApiKey) -> list[dict[str, Any]]:
    """Return calls and refused calls of the last 30 UTC days by endpoint, the most used first."""
    mine = EndpointCalls.objects.filter(key=key, day__gt=today() - timedelta(days=DAYS_SHOWN))
    summed = mine.values("endpoint").annotate(calls=Sum("calls"), refused=Sum("refused"), last=Max("day"))
    return [dict(row) for row in summed.order_by("-calls", "endpoint")]


def call_errors(key: ApiKey) -> list[dict[str, Any]]:
    """Return the newest refused calls, without any data that the caller sent."""
    calls = []
    for row in ApiCallError.objects.filter(key=key).order_by("-at", "-id")[:CALLS_SHOWN]:
        error = errors.documented(row.slug)
        text = error.message if error else row.kind
        if row.seconds_apart:
            text = f"Clock {abs(row.seconds_apart)} s {'behind' if row.seconds_apart > 0 else 'ahead of'} ours"
        fix, anchor = (error.fix, error.anchor) if error else ("", "")
        calls.append({"row": row, "text": text, "fix": fix.replace("`", ""), "anchor": anchor})
    return calls


def newest_calls(service: Service) -> list[Notification]:
    """Return the newest messages sent through the API, with one index read for each key type."""
    mine = Notification.objects.filter(service=service).select_related("api_key")
    newest: list[Notification] = []
    for key_type in KeyType:
        newest += mine.filter(key_type=key_type).order_by("-created_at", "-id")[: 2 * CALLS_SHOWN]
    by_api = (message for message in newest if message.origin == MessageOrigin.API)
    return nlargest(CALLS_SHOWN, by_api, key=lambda message: (message.created_at, message.id))


def templates_used(key: ApiKey) -> list[tuple[str, int]]:
    """Return the templates of this key's newest 1,000 messages, each with its number of messages."""
    mine = Notification.objects.filter(service=key.service_id, key_type=key.key_type)
    newest = mine.order_by("-created_at", "-id").values_list("api_key_id", "template__name")[:1000]
    counted: dict[str, int] = {}
    for key_id, name in newest:
        if key_id == key.pk:
            counted[name] = counted.get(name, 0) + 1
    return nlargest(MOST_TEMPLATES, counted.items(), key=lambda pair: pair[1])


def _sum(rows: QuerySet[Any], field: str) -> Coalesce:
    total = rows.annotate(total=Sum(field)).values("total")
    return Coalesce(Subquery(total, output_field=IntegerField()), 0)
