"""Filters of the list of API keys. Source: docs/reference/console.md §2.3."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from config.console import cells
from config.console.admin.filters import by, choice_filter
from notifications.admin.api_keys.usage import ACTIVE_FOR, QUIET_FOR

_ENDING_WITHIN = timedelta(days=14)


def is_ending_in_use(keys: QuerySet[Any]) -> QuerySet[Any]:
    """Return the keys that will expire within 14 days and were used in the last 7."""
    soon = Q(expires_at__gt=_ago(), expires_at__lte=_ago() + _ENDING_WITHIN)
    return keys.filter(soon, revoked_at=None, last_used_at__gte=_ago(QUIET_FOR))


STATE_FILTER = choice_filter(
    "state",
    {
        "in-use": ("In use", lambda rows: rows.filter(Q(expires_at=None) | Q(expires_at__gt=_ago()), revoked_at=None)),
        "ending": ("Expires within 14 days, in use", is_ending_in_use),
        "ended": ("Expired", lambda rows: rows.filter(revoked_at=None, expires_at__lte=_ago())),
        "revoked": ("Revoked", by(~Q(revoked_at=None))),
    },
)


LAST_USED_FILTER = choice_filter(
    "last used",
    {
        "active": ("Active: within a day", lambda rows: rows.filter(last_used_at__gte=_ago(ACTIVE_FOR))),
        "quiet": (
            "Quiet: within 7 days",
            lambda rows: rows.filter(last_used_at__gte=_ago(QUIET_FOR), last_used_at__lt=_ago(ACTIVE_FOR)),
        ),
        "dormant": ("Dormant: longer ago", lambda rows: rows.filter(last_used_at__lt=_ago(QUIET_FOR))),
        "unused": ("Unused", by(Q(last_used_at=None))),
    },
    parameter="used",
)


class MakerFilter(admin.SimpleListFilter):
    title = "created by"
    parameter_name = "maker"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = model_admin.listed(request, model_admin.get_queryset(request))
        makers = rows.exclude(created_by="").order_by("created_by").values_list("created_by", flat=True).distinct()
        return [(maker, cells.author(maker)) for maker in makers]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(created_by=self.value()) if self.value() else queryset


def _ago(time: timedelta = timedelta(0)) -> datetime:
    return timezone.now() - time
