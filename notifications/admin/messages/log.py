"""The message log: read-only, recipients masked, searched by POST. Source: Staff console §2.9."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import product
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from config.console import cells
from config.console.paginator import MOST_COUNTED
from config.page_bodies import takes_files
from notifications.admin import rights
from notifications.admin.messages import days, filters, page, search, send, words
from notifications.admin.messages.paging import MessagePaginator, counted
from notifications.admin.service_rows import OwnRowsFilter, ServiceRowAdmin
from notifications.models import KeyType, Notification, Role, Status
from notifications.models.retention import kept_since
from notifications.submission import redaction

_FIRST_WORDS = 60  # about as many characters as a cell holds on one line
_SHORT = timedelta(seconds=10)


@admin.register(Notification)
class NotificationAdmin(ServiceRowAdmin):
    """Nobody adds, changes or deletes a message here."""

    view_roles = frozenset({Role.SEE_ACTIVITY})
    list_display = ("made", "status_words", "to_whom", "said", "sent_by", "named", "took")
    list_display_links = ("made",)
    list_filter = (
        filters.StatusFilter,
        filters.MadeFilter,
        "channel",
        ("template", OwnRowsFilter),
        ("api_key", filters.KeyFilter),
        filters.KeyTypeFilter,
        filters.ProviderFilter,
        "origin",
        filters.FileFilter,
        filters.SearchFilter,
    )
    list_select_related = ("service", "template", "api_key")
    change_list_template = "admin/notifications/message_list.html"
    ordering = ("-created_at", "-id")
    sortable_by = ()
    search_fields = ()
    steps = {"recipient": "log_for_recipient"}

    class Media:
        css = {"all": ("notifications/messages.css", "notifications/log.css")}

    def get_queryset(self, request: HttpRequest) -> Any:
        return rights.with_sight(request, super().get_queryset(request))

    def listed(self, request: HttpRequest, rows: Any) -> Any:
        """Leave out what is older than the service keeps, deleted yet or not.

        Where all services are listed they are named, which leaves out nothing: the index of the log begins with them.
        """
        chosen = rights.chosen_service(request)
        is_open = filters.is_search(request) or filters.are_left_to_stretches(request)
        listed = rows if is_open else rows.filter(service__in=self._listed_services(request))
        return listed.filter(created_at__gte=kept_since(chosen)) if chosen else listed

    def sees_title(self, request: HttpRequest, obj: Any) -> bool:
        return rights.may_see_recipients(request, obj.service_id)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        message = super().get_object(request, object_id, from_field)
        return None if message is None or message.created_at < kept_since(message.service) else message

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        """Let the paginator read also a list that fits on one page: Django would take all that match, in any order."""
        theirs: Any = super().get_changelist(request, **kwargs)

        class MessageChangeList(theirs):  # type: ignore[misc]  # the console's own, made for each request
            def get_results(self, request: HttpRequest) -> None:
                with filters.left_to_stretches(request):
                    request.rows_of_stretches = self.get_queryset(request)  # type: ignore[attr-defined]
                super().get_results(request)
                if not self.multi_page:
                    self.result_list = self.paginator.page(1).object_list
                for message, text in zip(self.result_list, redaction.texts(self.result_list), strict=True):
                    message.shown_text = text

        return MessageChangeList

    def get_paginator(
        self, request: HttpRequest, queryset: Any, per_page: int, orphans: int = 0, allow_empty_first_page: bool = True
    ) -> MessagePaginator:
        """A search has found its rows by an index of its own: they are few, and in no stretch of the list."""
        services = [] if filters.is_search(request) else self._listed_services(request)
        stretches = list(product(services, filters.statuses(request), filters.key_types(request)))
        whole = self.get_queryset(request).select_related(*self.list_select_related)
        of_stretches = getattr(request, "rows_of_stretches", queryset)
        return MessagePaginator(
            queryset,
            per_page,
            orphans,
            allow_empty_first_page,
            stretches=stretches,
            of_stretches=of_stretches,
            whole=whole,
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def may_open(self, request: HttpRequest, word: str) -> bool:
        """Say whether this person may open a page that hangs on no row: the sidebar asks."""
        return send.may_send(request) if word == "send" else self.has_view_permission(request)

    def may_take(self, request: HttpRequest, word: str, obj: Any) -> bool:
        return rights.may_see_recipients(request, obj.service_id)

    # Pages

    def get_urls(self) -> list[URLPattern]:
        def own(word: str, view: Any) -> Any:
            return path(f"{word}/", self.admin_site.admin_view(view), name=f"notifications_notification_{word}")

        return [own("search", require_POST(self.search)), own("send", self.send), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        answer = super().changelist_view(request, extra_context)
        if isinstance(answer, TemplateResponse) and answer.context_data and "cl" in answer.context_data:
            answer.context_data.update(self._above(request, answer.context_data["cl"]))
        return answer

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        message: Any = self._row_or_404(request, object_id)
        if request.method != "GET" or not self.has_view_permission(request, message):
            raise PermissionDenied
        context = {**self.page_context(request, str(message), message), **page.context(request, message)}
        return TemplateResponse(request, "admin/notifications/message.html", context)

    def search(self, request: HttpRequest) -> HttpResponse:
        """Keep what was typed and go to its result, with the filters that were on and the days that were chosen."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        query = QueryDict(request.POST.get("filters", ""), mutable=True)
        for name in ("p", "search"):
            query.pop(name, None)
        if "first" in request.POST or "last" in request.POST:
            query.pop(days.PARAMETER, None)
            if made := days.span(request.POST.get("first", ""), request.POST.get("last", "")):
                query[days.PARAMETER] = made
        if term := request.POST.get("term", "").strip():
            query["search"] = str(search.keep(request, term))
        return HttpResponseRedirect(f"{self.list_url()}?{query.urlencode()}")

    def log_for_recipient(self, request: HttpRequest, message: Notification) -> HttpResponse:
        """Search for the recipient of one message. By POST: a GET would leave the search in nobody's name."""
        if request.method != "POST":
            return HttpResponseRedirect(self.row_url(message))
        found = search.keep(request, f"to:{message.recipient}")
        return HttpResponseRedirect(f"{self.list_url()}?{urlencode({'search': found})}")

    @takes_files
    def send(self, request: HttpRequest) -> HttpResponse:
        return send.SendPage(self, request).answer()

    def _above(self, request: HttpRequest, changelist: Any) -> dict[str, Any]:
        """Return what stands around the list: counters, the search and its note, what is hidden, how long is kept."""
        found = search.of(request)
        first, last = days.chosen(request.GET.get(days.PARAMETER, ""))
        hides_tests = filters.hides_tests(request)
        chosen = rights.chosen_service(request)
        return {
            "counters": self._counters(request, changelist),
            "found": found,
            "first_day": first.isoformat() if first else "",
            "last_day": last.isoformat() if last else "",
            "filters_now": request.GET.urlencode(),
            "search_url": self.url_of("search"),
            "tests_url": changelist.get_query_string({"key_type": "all"}) if hides_tests else "",
            "has_hidden_tests": hides_tests and self._has_tests(request),
            "kept_days": chosen.retention_days if chosen else None,
            "send_url": self.url_of("send") if send.may_send(request) else "",
            "may_see_recipients": rights.may(request, Role.SEE_RECIPIENTS),
        }

    def _counters(self, request: HttpRequest, changelist: Any) -> list[dict[str, Any]]:
        """Count within the other filters; each of the four is a filter itself.

        A count of many rows is read to its end only where few match, and then the delivered ones are what is left over.
        """
        parameter = filters.StatusFilter.parameter_name
        chosen = request.GET.get(parameter) or ""
        rows = changelist.get_queryset(request, exclude_parameters=[parameter])
        every = rows if filters.is_search(request) else rows.filter(status__in=Status.values)
        numbers = {"": counted(every) if chosen else changelist.paginator._counted}
        for name in ("delivering", "failed"):
            numbers[name] = counted(rows.filter(status__in=sorted(words.GROUPS[name][1])))
        if numbers[""] > MOST_COUNTED:
            numbers["delivered"] = counted(rows.filter(status__in=sorted(words.GROUPS["delivered"][1])))
        else:
            numbers["delivered"] = max(0, numbers[""] - numbers["delivering"] - numbers["failed"])
        return [
            {
                "title": title,
                "number": min(numbers[name], MOST_COUNTED),
                "is_capped": numbers[name] > MOST_COUNTED,
                "url": changelist.get_query_string({parameter: name} if name else {}, [parameter, "p"]),
                "is_chosen": chosen == name,
            }
            for name, title in {"": "All", **{name: title for name, (title, _) in words.GROUPS.items()}}.items()
        ]

    def _has_tests(self, request: HttpRequest) -> bool:
        tests = Notification.objects.filter(service__in=self._listed_services(request), key_type=KeyType.TEST)
        return tests.exists()

    def _listed_services(self, request: HttpRequest) -> Sequence[UUID]:
        chosen = rights.chosen_service(request)
        return [chosen.pk] if chosen else list(rights.services_of(request).values_list("pk", flat=True))

    # Columns

    @admin.display(description="Made")
    def made(self, message: Notification) -> SafeString:
        local = timezone.localtime(message.created_at)
        return cells.two_lines(f"{local:%-d %b %Y}", f"{local:%H:%M:%S %Z}")

    @admin.display(description="Status")
    def status_words(self, message: Notification) -> SafeString:
        return words.cell(message)

    @admin.display(description="To")
    def to_whom(self, message: Notification) -> SafeString:
        return cells.two_lines(
            cells.breakable(rights.shown_recipient(message, message.recipient)), message.get_channel_display()
        )

    @admin.display(description="Message")
    def said(self, message: Any) -> SafeString:
        text = message.shown_text
        first = " ".join((text.subject or text.body)[: _FIRST_WORDS * 2].split())
        shortened = first if len(first) <= _FIRST_WORDS else f"{first[:_FIRST_WORDS]}…"
        return cells.two_lines(shortened, f"{message.template.name}, version {message.template_version}")

    @admin.display(description="Key or person")
    def sent_by(self, message: Notification) -> SafeString | str:
        name = message.api_key.name if message.api_key else message.created_by
        is_test = message.key_type == KeyType.TEST
        return format_html("{} {}", name or "–", cells.chip("test", "warn") if is_test else "")

    @admin.display(description="Reference")
    def named(self, message: Notification) -> str:
        return message.reference or "–"

    @admin.display(description="Took")
    def took(self, message: Notification) -> str:
        if message.completed_at is None:
            return "–"
        taken = max(message.completed_at - (message.scheduled_for or message.created_at), timedelta())
        seconds = taken.total_seconds()
        return f"{seconds:.1f} s" if taken < _SHORT else cells.duration(seconds)
