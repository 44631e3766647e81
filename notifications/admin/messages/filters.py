"""What the message log is filtered by. Source: Staff console §2.9."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from notifications.admin import rights
from notifications.admin.messages import days, search, words
from notifications.admin.service_rows import OwnRowsFilter
from notifications.delivery import providers
from notifications.models import Attachment, KeyType, Status
from notifications.models.retention import kept_since

_FEW_FILES = 200  # each of a page's statements looks for so many messages by their ids


class StatusFilter(admin.SimpleListFilter):
    """The three answers staff look for, then each exact value.

    Unchosen, all are named, which leaves out nothing: without their names the index of the log would be of no use. What
    a search has found is looked at by its id.
    """

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        groups = [(name, title) for name, (title, _) in words.GROUPS.items()]
        return [*groups, *((value, f"Only {value}") for value in Status.values)]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if are_left_to_stretches(request):
            return queryset
        wanted = statuses(request)
        is_open = len(wanted) == len(Status) and is_search(request)
        return queryset if is_open else queryset.filter(status__in=wanted)


class KeyTypeFilter(admin.SimpleListFilter):
    """All but tests unless asked for: who looks for a message by name wants it whatever its key was."""

    title = "key type"
    parameter_name = "key_type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [*KeyType.choices, ("all", "All, tests too")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        yield {
            "selected": self.value() is None,
            "query_string": changelist.get_query_string(remove=[self.parameter_name]),
            "display": "Live and team",
        }
        for value, title in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": self.value() == value, "query_string": query, "display": title}

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if are_left_to_stretches(request):
            return queryset
        wanted = key_types(request)
        is_open = len(wanted) == len(KeyType) and is_search(request)
        return queryset if is_open else queryset.filter(key_type__in=wanted)


class KeyFilter(OwnRowsFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "API key"


class ProviderFilter(admin.SimpleListFilter):
    """The providers of the settings; a test key's message has none."""

    title = "provider"
    parameter_name = "provider"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(carrier.name, carrier.name) for carrier in providers.configured()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(provider=self.value()) if self.value() else queryset


class FileFilter(admin.SimpleListFilter):
    title = "has a file"
    parameter_name = "file"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        """Go from the files to their messages where they are few, else from the messages to their files.

        A file is made in the moment of its message, which is what the index of files goes by; it outlives its message
        by far, so files of messages that are gone are left out.
        """
        if self.value() != "yes":
            return queryset
        chosen = rights.chosen_service(request)
        services = [chosen] if chosen else list(rights.services_of(request))
        since = min(map(kept_since, services), default=timezone.now())
        files = Attachment.objects.filter(service__in=services, created_at__gte=since)
        few = list(files.order_by().values_list("notification_id", flat=True)[: _FEW_FILES + 1])
        if len(few) <= _FEW_FILES:
            return queryset.filter(pk__in=few)
        same = {"service": OuterRef("service"), "created_at": OuterRef("created_at"), "notification_id": OuterRef("pk")}
        return queryset.filter(Exists(Attachment.objects.filter(**same)))


class MadeFilter(admin.SimpleListFilter):
    """`today`, `week`, or two days such as `2026-11-01..2026-11-20`, which the form above the list sends."""

    title = "date"
    parameter_name = days.PARAMETER

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("today", "Today"), ("week", f"Last {days.WEEK_DAYS} days")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Name the days that were typed above the list too: they are in force like a choice of the panel."""
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


class SearchFilter(admin.SimpleListFilter):
    """The result of a search, by the id it is kept under. It stands above the list, not among the filters."""

    title = "search"
    parameter_name = "search"
    template = "admin/notifications/no_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("", "")] if self.parameter_name in request.GET else []

    def choices(self, changelist: Any) -> Iterator[Any]:
        return iter(())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        found = search.of(request)
        return queryset.filter(found.matching) if found else queryset


@contextmanager
def left_to_stretches(request: HttpRequest) -> Iterator[None]:
    """Leave out service, status and key type, which each stretch names itself.

    Named beside it once more, as one of several, they lead SQLite to another index and to a sort of all there is: of a
    million messages page 100 took 5.3 s of work, and takes 0.2 s without them.
    """
    request.are_left_to_stretches = True  # type: ignore[attr-defined]  # for the filters of this request
    try:
        yield
    finally:
        request.are_left_to_stretches = False  # type: ignore[attr-defined]


def are_left_to_stretches(request: HttpRequest) -> bool:
    return getattr(request, "are_left_to_stretches", False)


def statuses(request: HttpRequest) -> list[str]:
    """Return the statuses the list may hold; all, where none is asked for or one that there is not."""
    chosen = request.GET.get(StatusFilter.parameter_name, "")
    if chosen in words.GROUPS:
        return sorted(words.GROUPS[chosen][1])
    return [chosen] if chosen in Status.values else Status.values


def key_types(request: HttpRequest) -> list[str]:
    """Return the kinds of key whose messages the list may hold."""
    chosen = request.GET.get(KeyTypeFilter.parameter_name, "")
    if chosen in KeyType.values:
        return [chosen]
    return [KeyType.LIVE.value, KeyType.TEAM.value] if hides_tests(request) else KeyType.values


def hides_tests(request: HttpRequest) -> bool:
    """Say whether the list leaves test messages out, unasked."""
    chosen = request.GET.get(KeyTypeFilter.parameter_name)
    return chosen not in {*KeyType.values, "all"} and not is_search(request)


def is_search(request: HttpRequest) -> bool:
    return SearchFilter.parameter_name in request.GET
