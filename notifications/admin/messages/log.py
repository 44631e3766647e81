"""The message log: read-only, recipients masked, searched by POST. Source: docs/reference/console.md §2.9."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from config import formats
from config.console import cells
from config.console.admin.columns import column
from config.console.admin.row_actions import Button, methods
from config.page_bodies import takes_files
from notifications.admin import permissions, saved_searches
from notifications.admin.list_download import RetainedRowAdmin
from notifications.admin.messages import days, download, filters, page, search, send, status_titles
from notifications.admin.messages.cancelling import CANCEL_SCHEDULED
from notifications.admin.messages.change_list import MessageChangeList
from notifications.admin.messages.code import CODE, CodeAction
from notifications.admin.messages.copying import COPY, CopyAction
from notifications.admin.messages.paging import NEWER, OLDER
from notifications.admin.messages.retrying import RETRY, RETRY_FAILED, RetryAction
from notifications.admin.messages.scheduling import CANCEL, MOVE, ScheduledMessageActions
from notifications.admin.messages.suppressing import SUPPRESS, SuppressingActions, may_suppress
from notifications.admin.one_person import page as one_person
from notifications.admin.service_rows import OwnRowsFilter
from notifications.models import KeyType, Notification, Role

_FIRST_WORDS = 60  # characters that fit on one line of a cell
_WHOLE = 40  # characters of a recipient that are never broken


@admin.register(Notification)
class NotificationAdmin(
    ScheduledMessageActions, RetryAction, CopyAction, CodeAction, SuppressingActions, RetainedRowAdmin
):
    """Messages are read-only. One that waits for its time can be moved or cancelled, and a failed one sent again."""

    may_add = may_change = False
    shows_recipients = True
    page_template = "admin/notifications/message.html"
    view_roles = frozenset({Role.SEE_ACTIVITY})
    is_reading_logged = True
    list_display = ("made", "status_title", "to_whom", "said", "sent_by", "named", "took")
    list_display_links = ("made", "to_whom")
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
        filters.BulkSendFilter,
        filters.SCHEDULED_FILTER,
    )
    list_select_related = ("service", "template", "api_key")
    change_list_template = "admin/notifications/message_list.html"
    ordering = ("-created_at", "-id")
    sortable_by = ()
    search_fields = ()
    row_actions = methods("recipient", MOVE, CANCEL, RETRY, COPY, CODE, SUPPRESS)
    read_only_actions = frozenset({CODE})
    list_download = download.DOWNLOAD
    list_pages = {
        **RetainedRowAdmin.list_pages,
        **methods("search", "send", "retry-failed", "cancel-scheduled", "export"),
    }

    class Media:
        css = {"all": ("notifications/messages.css", "notifications/log.css")}

    def get_list_display(self, request: HttpRequest) -> Any:
        """Show when scheduled messages are sent, with their actions, instead of how long they took."""
        if request.GET.get("scheduled") != "yes":
            return self.list_display
        return (*self.list_display[:-1], "waits_with_actions" if send.may_send(request) else "waits")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[MessageChangeList]:
        return MessageChangeList

    def may_open(self, request: HttpRequest, word: str) -> bool:
        """Return whether this person may open the log or another page of messages. The menu calls this."""
        if word == "person":
            return one_person.may_open(request)
        return send.may_send(request) if word == "send" else self.has_view_permission(request)

    def may_do(self, request: HttpRequest, word: str, obj: Any) -> bool:
        if word == SUPPRESS:
            return may_suppress(request, obj)
        if word in {MOVE, CANCEL, RETRY, COPY}:
            return permissions.may_in(request, obj.service_id, [Role.SEND_MESSAGES])
        if word in self.read_only_actions:
            return super().may_do(request, word, obj)
        return permissions.may_see_recipients(request, obj.service_id)

    # Pages

    def list_buttons(self, request: HttpRequest, changelist: Any) -> list[Button]:
        """Return the actions that this person may do with all messages of the list, and that apply to one of them."""
        buttons = super().list_buttons(request, changelist)
        if not changelist.result_count or not send.may_send(request):
            return buttons
        query = changelist.get_query_string()
        if request.GET.get("scheduled") == "yes":
            buttons.insert(0, Button("Cancel these messages…", url=f"{self.url_of('cancel-scheduled')}{query}"))
        if any(one["title"] == "Failed" and one["shown"] != "0" for one in changelist.counters):
            buttons.insert(0, Button("Retry failed…", url=f"{self.url_of('retry-failed')}{query}"))
        return buttons

    def buttons(self, request: HttpRequest, obj: Any) -> list[Button]:
        return page.buttons(request, obj)

    def row_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        return page.context(request, obj)

    @method_decorator(require_POST)
    def search(self, request: HttpRequest) -> HttpResponse:
        """Store the search term and redirect to its result, with the current filters and the chosen days."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        query = QueryDict(request.POST.get("filters", ""), mutable=True)
        for name in (search.SEARCH, OLDER, NEWER):
            query.pop(name, None)
        if "first" in request.POST or "last" in request.POST:
            query.pop(days.PARAMETER, None)
            if made := days.span(request.POST.get("first", ""), request.POST.get("last", "")):
                query[days.PARAMETER] = made
        if term := request.POST.get("term", "").strip():
            query[search.SEARCH] = str(saved_searches.keep(request, search.KIND, term))
        return HttpResponseRedirect(f"{self.list_url()}?{query.urlencode()}")

    def recipient(self, request: HttpRequest, message: Notification) -> HttpResponse:
        """Search for the recipient of one message. POST only: the search is stored for this person."""
        if request.method != "POST":
            return HttpResponseRedirect(self.row_url(message))
        found = saved_searches.keep(request, search.KIND, f"to:{message.recipient}")
        return HttpResponseRedirect(f"{self.list_url()}?{urlencode({search.SEARCH: found})}")

    @takes_files
    def send(self, request: HttpRequest) -> HttpResponse:
        return send.SendPage(self, request).answer()

    def retry_failed(self, request: HttpRequest) -> HttpResponse:
        return RETRY_FAILED.answer(self, request)

    def cancel_scheduled(self, request: HttpRequest) -> HttpResponse:
        return CANCEL_SCHEDULED.answer(self, request)

    def export(self, request: HttpRequest) -> HttpResponseBase:
        return download.answer(self, request)

    def list_context(self, request: HttpRequest, changelist: MessageChangeList) -> dict[str, Any]:
        """Return the context around the list: counters, search and its note, left-out tests, and retention."""
        first, last = days.chosen(request.GET.get(days.PARAMETER, ""))
        hides_tests = filters.hides_tests(request.GET)
        services = permissions.listed_services(request)
        tests = Notification.objects.filter(service__in=services, key_type=KeyType.TEST)
        chosen = permissions.chosen_service(request)
        return {
            "first_day": first.isoformat() if first else "",
            "last_day": last.isoformat() if last else "",
            "filters_now": request.GET.urlencode(),
            "search_url": self.url_of("search"),
            "unsearched_url": changelist.get_query_string(remove=[search.SEARCH]) if changelist.found else "",
            "tests_url": changelist.get_query_string({"key_type": "all"}) if hides_tests else "",
            "has_hidden_tests": hides_tests and tests.exists(),
            "kept_days": chosen.retention_days if chosen else None,
            "send_url": self.url_of("send") if send.may_send(request) else "",
            "may_see_recipients": permissions.may(request, Role.SEE_RECIPIENTS),
        }

    # Columns

    made = column(
        "Created", lambda one: permissions.titled(one, cells.timed(one.created_at, formats.clock(one.created_at)))
    )

    status_title = column("Status", lambda message: status_titles.chip(message))

    @admin.display(description="To")
    def to_whom(self, message: Notification) -> SafeString:
        recipient = cells.breakable(permissions.shown_recipient(message, message.recipient), _WHOLE)
        shown = cells.two_lines(recipient, message.get_channel_display())
        return cells.named(shown, formats.clock(message.created_at))

    @admin.display(description="Message")
    def said(self, message: Any) -> SafeString:
        text = message.shown_text
        first = " ".join((text.subject or text.body)[: _FIRST_WORDS * 2].split())
        shortened = first if len(first) <= _FIRST_WORDS else f"{first[:_FIRST_WORDS]}…"
        return cells.two_lines(shortened, f"{message.template.name}, version {message.template_version}")

    @admin.display(description="Sent by")
    def sent_by(self, message: Notification) -> SafeString | str:
        name = message.api_key.name if message.api_key else cells.author(message.created_by)
        is_test = message.key_type == KeyType.TEST
        return format_html("{} {}", name or "–", cells.chip("test", "warn") if is_test else "")

    named = column("Reference", lambda message: message.reference or "–")

    waits = column("Send at", lambda message: _waits(message))

    @admin.display(description="Send at")
    def waits_with_actions(self, message: Notification) -> SafeString:
        actions = [(self.url_of(MOVE, message), "Move"), (self.url_of(CANCEL, message), "Cancel")]
        links = format_html_join(" · ", '<a class="sb-link" href="{}">{}</a>', actions)
        return cells.two_lines(_waits(message), links) if message.is_scheduled else _waits(message)

    @admin.display(description="Time taken")
    def took(self, message: Notification) -> str:
        if message.completed_at is None:
            return "–"
        began_at = message.quiet_until or message.scheduled_for or message.created_at
        return formats.duration(max(message.completed_at - began_at, timedelta()).total_seconds())


def _waits(message: Notification) -> SafeString:
    """Return when a scheduled message is sent, and whether it waits for the end of quiet hours."""
    moment = cells.moment(message.due_at)
    return format_html("{} {}", moment, cells.chip("quiet hours") if message.quiet_until else "")
