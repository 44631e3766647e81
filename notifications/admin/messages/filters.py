"""Filters of the message log. Source: docs/reference/console.md §2.9."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from config.console import lookups
from config.console.admin.filters import ChoiceFilter, by, choice_filter
from notifications.admin import permissions
from notifications.admin.messages import days, status_titles
from notifications.admin.messages.search import SEARCH
from notifications.admin.service_rows import OwnRowsFilter
from notifications.delivery import providers
from notifications.models import Attachment, BulkSend, BulkState, Channel, KeyType, Status
from notifications.models.notification import IS_SCHEDULED

_FEW_BULK_SENDS = 10
_FEW_FILES = 20_000  # among 1 million messages, their rows are found faster than all messages are tested


class StatusFilter(admin.SimpleListFilter):
    """The three status groups, then each exact status.

    A group excludes the other statuses. With `status IN (…)`, SQLite leaves the log's index and sorts all rows.
    """

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        groups = [(name, title) for name, (title, _) in status_titles.GROUPS.items()]
        return [*groups, *((status.value, title) for status, title in status_titles.EXACT.items())]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        shown = statuses(request.GET)
        if len(shown) == 1:
            return queryset.filter(status=shown[0])  # a third of the time of a comparison with all others
        return queryset.exclude(status__in=sorted(set(Status.values) - set(shown)))


class KeyTypeFilter(ChoiceFilter):
    """Leave test messages out by default. A search by recipient or reference covers every key type."""

    title = "key type"
    parameter_name = "key_type"
    unchosen = ("Live and team", lambda rows: rows)
    options = {
        value: (label, lambda rows: rows) for value, label in (*KeyType.choices, ("all", "All, including tests"))
    }

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        others = set(KeyType.values) - set(key_types(request.GET))
        return queryset.exclude(key_type__in=sorted(others)) if others else queryset


class KeyFilter(OwnRowsFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "API key"


class ProviderFilter(admin.SimpleListFilter):
    """The configured providers. Messages of test keys have no provider."""

    title = "provider"
    parameter_name = "provider"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(provider.name, provider.name) for provider in providers.configured()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(provider=self.value()) if self.value() else queryset


class FileFilter(admin.SimpleListFilter):
    title = "has a file"
    parameter_name = "file"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """Search by the ids of messages with files if these are few, else test each message for a file.

        A file has the same `created_at` as its message, and its index begins with that column. A file may outlive
        its message, so files older than the service's retention are left out.
        """
        if self.value() != "yes":
            return queryset
        services = permissions.listed_services(request)
        since = min((service.kept_since() for service in services), default=timezone.now())
        files = Attachment.objects.filter(service__in=services, created_at__gte=since)
        if files.order_by()[: _FEW_FILES + 1].count() <= _FEW_FILES:
            return queryset.filter(pk__in=files.values("notification_id"))
        same = {"service": OuterRef("service"), "created_at": OuterRef("created_at"), "notification_id": OuterRef("pk")}
        return queryset.filter(Exists(Attachment.objects.filter(**same)))


# The messages that wait for their time.
SCHEDULED_FILTER = choice_filter("scheduled", {"yes": ("Yes", by(IS_SCHEDULED))})


class BulkSendFilter(admin.SimpleListFilter):
    """The newest bulk sends, and the one that a link has chosen."""

    title = "bulk send"
    parameter_name = "bulk_send"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        sent = BulkSend.objects.filter(service__in=permissions.listed_services(request)).exclude(state=BulkState.DRAFT)
        newest = list(sent.order_by("-created_at")[:_FEW_BULK_SENDS])
        chosen = request.GET.get(self.parameter_name, "")
        if lookups.is_key(BulkSend, chosen) and chosen not in {str(row.pk) for row in newest}:
            newest += sent.filter(pk=chosen)
        return [(str(row.pk), row.name) for row in newest]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value()
        if not chosen:
            return queryset
        return queryset.filter(bulk_row__bulk_send=chosen) if lookups.is_key(BulkSend, chosen) else queryset.none()


class MadeFilter(admin.SimpleListFilter):
    """The days of the panel, or the two days that the form above the list sends."""

    title = "date"
    parameter_name = days.PARAMETER

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("today", "Today"), ("week", f"Last {days.WEEK_DAYS} days")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Add the days entered above the list to the choices, so that the panel shows them as chosen."""
        yield from super().choices(changelist)
        value = self.value() or ""
        if any(days.chosen(value)) and value not in dict(self.lookup_choices):
            query = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": True, "query_string": query, "display": days.in_words(value)}

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        first, last = days.chosen(self.value() or "")
        if first:
            queryset = queryset.filter(created_at__gte=days.beginning(first))
        return queryset.filter(created_at__lt=days.beginning(last + timedelta(days=1))) if last else queryset


def log_url(channel: Channel, first: date, last: date, **filters: str) -> str:
    """Return the URL of the message log with the messages of a channel and some days. filters: by parameter name"""
    query = {"channel__exact": channel.value, MadeFilter.parameter_name: f"{first}..{last}", **filters}
    return f"{reverse('admin:notifications_notification_changelist')}?{urlencode(query)}"


def statuses(parameters: Mapping[str, str]) -> list[str]:
    """Return the statuses that the list shows: every status if the filter is missing or unknown."""
    chosen = parameters.get(StatusFilter.parameter_name, "")
    if chosen in status_titles.GROUPS:
        return sorted(status_titles.GROUPS[chosen][1])
    return [chosen] if chosen in Status.values else Status.values


def key_types(parameters: Mapping[str, str]) -> list[str]:
    """Return the key types whose messages the list shows."""
    chosen = parameters.get(KeyTypeFilter.parameter_name, "")
    if chosen in KeyType.values:
        return [chosen]
    return [KeyType.LIVE.value, KeyType.TEAM.value] if hides_tests(parameters) else KeyType.values


def hides_tests(parameters: Mapping[str, str]) -> bool:
    """Return whether the list leaves test messages out by default."""
    return parameters.get(KeyTypeFilter.parameter_name) not in {*KeyType.values, "all"} and SEARCH not in parameters
