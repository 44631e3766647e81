"""How much a template is used, from the daily counters, which outlast the messages. Source: Staff console §2.4."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import DateField, Exists, IntegerField, Max, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils import timezone

from notifications.models import DailyCount, Template

_WEEK = timedelta(days=7)
_UNUSED_FOR = timedelta(days=90)


def with_use(templates: QuerySet[Template]) -> QuerySet[Template]:
    """Add `week`, the messages of the last seven UTC days, and `last_day` to each template."""
    week = _counts().filter(day__gt=_today() - _WEEK).values("template").annotate(total=Sum("n")).values("total")
    last = _counts().values("template").annotate(last=Max("day")).values("last")
    return templates.annotate(
        week=Coalesce(Subquery(week, output_field=IntegerField()), 0),
        last_day=Subquery(last, output_field=DateField()),
    )


class UnusedFilter(admin.SimpleListFilter):
    """Templates nobody has used for long; one made since then has had no time to be used."""

    title = "use"
    parameter_name = "use"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("unused", f"Unused for {_UNUSED_FOR.days} days")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != "unused":
            return queryset
        first = _today() - _UNUSED_FOR
        return queryset.filter(~Exists(_counts().filter(day__gte=first)), created_at__lt=_start(first))


class InUseFilter(admin.SimpleListFilter):
    """In use unless asked for: an archived template is in nobody's way."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("archived", "Archived"), ("all", "All")]

    def choices(self, changelist: Any) -> Any:
        yield {
            "selected": self.value() is None,
            "query_string": changelist.get_query_string(remove=[self.parameter_name]),
            "display": "In use",
        }
        for value, title in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": self.value() == value, "query_string": query, "display": title}

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() == "all":
            return queryset
        return queryset.filter(archived_at__isnull=self.value() != "archived")


def _counts() -> QuerySet[DailyCount]:
    return DailyCount.objects.filter(service=OuterRef("service"), template=OuterRef("pk"), n__gt=0).order_by()


def _today() -> date:
    return timezone.now().astimezone(UTC).date()


def _start(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
