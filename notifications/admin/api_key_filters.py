"""What the list of keys is filtered by beside their type. Source: Staff console §2.3."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from notifications.admin.api_key_use import ACTIVE_FOR, QUIET_FOR


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("in-use", "In use"), ("ended", "Ended"), ("revoked", "Revoked")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now = timezone.now()
        conditions = {
            "in-use": Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now)),
            "ended": Q(revoked_at=None, expires_at__lte=now),
            "revoked": Q(revoked_at__isnull=False),
        }
        return queryset.filter(conditions.get(self.value() or "", Q()))


class LastUsedFilter(admin.SimpleListFilter):
    title = "last used"
    parameter_name = "used"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("active", "Active: within a day"),
            ("quiet", "Quiet: within 7 days"),
            ("dormant", "Dormant: longer ago"),
            ("unused", "Unused"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(_used(timezone.now()).get(self.value() or "", Q()))


class MakerFilter(admin.SimpleListFilter):
    title = "made by"
    parameter_name = "maker"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = model_admin.listed(request, model_admin.get_queryset(request))
        makers = rows.exclude(created_by="").order_by("created_by").values_list("created_by", flat=True).distinct()
        return [(maker, maker) for maker in makers]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(created_by=self.value()) if self.value() else queryset


def _used(now: datetime) -> dict[str, Q]:
    return {
        "active": Q(last_used_at__gte=now - ACTIVE_FOR),
        "quiet": Q(last_used_at__gte=now - QUIET_FOR, last_used_at__lt=now - ACTIVE_FOR),
        "dormant": Q(last_used_at__lt=now - QUIET_FOR),
        "unused": Q(last_used_at=None),
    }
