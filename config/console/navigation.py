"""The sidebar: sections and pages, without those that are switched off or that the person may not open.

Source: docs/reference/console.md §1.4. Entries name pages by model label, so this module imports neither area.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from config.accounts import scope
from config.console import switcher

SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Entry:
    """A link in the sidebar.

    page: a model label such as "app.Model" for its list; "app.Model/name" for another page of its admin, which
          `may_open` of the admin allows; a fixed path; or SETTINGS for the settings of the chosen service.
    area: the area that a fixed path belongs to
    is_on: return whether this installation has the page
    is_for_operators: only operators see the link
    """

    title: str
    icon: str
    page: str
    about: str
    _: KW_ONLY
    area: str = ""
    is_on: Callable[[], bool] = lambda: True
    is_for_operators: bool = False


def _has_inbox() -> bool:
    return settings.SANDBOX_INBOX or "sandbox" in settings.PROVIDERS


SECTIONS: dict[str, tuple[Entry, ...]] = {
    "Messages": (
        Entry("Message log", "outbox", "notifications.Notification", "Messages and their status"),
        Entry(
            "Send a message",
            "send",
            "notifications.Notification/send",
            "Send one message yourself, for real or as a test",
        ),
        Entry("Bulk sends", "stacked_email", "notifications.BulkSend", "One template to every row of a spreadsheet"),
        Entry(
            "Received emails", "mail", "notifications.ReceivedEmail", "Emails that people sent to a reply-to address"
        ),
        Entry("Received texts", "forum", "notifications.ReceivedText", "Texts that people sent you, and your replies"),
        Entry(
            "Unsubscribe requests",
            "unsubscribe",
            "notifications.UnsubscribeRequest",
            "Recipients who want no more emails",
        ),
        Entry("Suppressions", "block", "notifications.Suppression", "Recipients to whom nothing more is sent"),
        Entry(
            "One person",
            "person_search",
            "notifications.Notification/person",
            "What is stored about one recipient: find, export and erase it",
        ),
    ),
    "Content": (
        Entry("Templates", "article", "notifications.Template", "Message texts and their versions"),
        Entry("Files", "attach_file", "notifications.Attachment", "Files sent by email"),
    ),
    "API": (
        Entry("API integration", "key", "notifications.ApiKey", "API keys and other details for developers"),
        Entry(
            "Guest list",
            "group_add",
            "notifications.GuestListEntry",
            "People outside the team that a service in trial can send to",
        ),
        Entry(
            "Callbacks", "webhook", "notifications.CallbackEndpoint", "URLs that receive the status of your messages"
        ),
        Entry("Sandbox inbox", "inbox", "/sandbox/", "Test messages", area="notifications", is_on=_has_inbox),
        Entry("API docs", "menu_book", "/docs/", "All API calls and errors, with examples"),
    ),
    "Data": (
        Entry("Data sets", "database", "datasets.DataSet", "Time-stamped records, each set at its own URL"),
        Entry("Groups", "folder", "datasets.DataGroup", "The first part of a data set's path"),
        Entry("Types", "label", "datasets.DataType", "The second part of a data set's path"),
    ),
    "Service": (
        Entry("Settings", "tune", SETTINGS, "Channels, limits and status of the service", area="notifications"),
        Entry("Limits", "speed", "notifications.Service/limits_today", "How much of each limit is used"),
        Entry("Reports", "bar_chart", "notifications.Service/statistics", "Counts, costs, failures and delivery times"),
        Entry("Going live", "rocket_launch", "notifications.GoLiveRequest", "Requests to make a service live"),
        Entry("Reply-to addresses", "reply", "notifications.ReplyToAddress", "Email addresses that receive replies"),
        Entry("Text message senders", "sms", "notifications.SmsSender", "Names that text messages are sent from"),
        Entry("Team", "group", "notifications.TeamMember", "Team members"),
    ),
    "Operations": (
        Entry(
            "Health",
            "monitor_heart",
            "/admin/operations/health/",
            "What works, and what to do about the rest",
            is_for_operators=True,
        ),
        Entry(
            "Queue and providers",
            "conveyor_belt",
            "/admin/operations/queue/",
            "What waits, runs and failed, and how providers answer",
            area="notifications",
            is_for_operators=True,
        ),
        Entry("Clean-up", "mop", "operations.RetentionRun", "What is deleted automatically"),
        Entry("Audit", "history", "operations.AuditEvent", "Who did what, and when"),
        Entry("Read log", "visibility", "operations.ReadEvent", "Who opened which message, file or record"),
        Entry("Services", "apartment", "notifications.Service", "All services and their status", is_for_operators=True),
        Entry(
            "Protected names",
            "verified_user",
            "notifications.ProtectedName",
            "Names that only operators can assign, or nobody",
            is_for_operators=True,
        ),
        Entry("Users", "manage_accounts", "auth.User", "Accounts that can sign in"),
    ),
}


# Lists without a link in the sidebar: their section and title, and the page whose link is marked as current.
BESIDE = {
    "notifications.CallbackDelivery": ("API", "Delivery log", "notifications.CallbackEndpoint"),
    "datasets.AccessToken": ("Data", "Access tokens", "datasets.DataSet"),
    "operations.BulkJobRun": ("Operations", "Background jobs", ""),
}


def place_of(list_url: str) -> tuple[str, str]:
    """Return the section of a list and its title, each "" if the sidebar has no place for it."""
    for title, entries in SECTIONS.items():
        for entry in entries:
            if _list_of(entry.page) == list_url:
                return title, entry.title
    return next(
        ((section, title) for page, (section, title, _) in BESIDE.items() if _list_of(page) == list_url), ("", "")
    )


def _is_below(request: HttpRequest, page: str) -> bool:
    list_url = _list_of(page)
    return bool(list_url) and request.path.startswith(list_url)


def _list_of(page: str) -> str:
    return "" if "/" in page else _model_and_url(page)[1]


@cache  # thirty on each page, and they are the same for everybody
def _model_and_url(page: str) -> tuple[type[Model] | None, str]:
    """Return the model of "app.Model" or "app.Model/name" and the URL of the page; None and "" without the area."""
    label, _, rest = page.partition(".")
    name, _, page_name = rest.partition("/")
    try:
        url = reverse(f"admin:{label}_{name.lower()}_{page_name or 'changelist'}")
        return apps.get_model(label, name), url
    except (LookupError, NoReverseMatch):
        return None, ""


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the sidebar in the theme's format: the overview, Find by ID, and the sections of this person."""
    first = [
        {"title": "Overview", "icon": "home", "link": reverse("admin:index")},
        {"title": "Find by ID", "icon": "search", "link": reverse("admin:find")},
    ]
    found = sections(request)
    links = [entry["link"] for section in found for entry in section["entries"]]
    # The theme marks every link that is a prefix of the current path. Only the longest one is the current page.
    here = max((link for link in links if request.path.startswith(link)), key=len, default="")
    here = here or next((_list_of(page) for row, (_, _, page) in BESIDE.items() if _is_below(request, row)), "")
    for section in found:
        section["items"] = [{**entry, "active": entry["link"] == here} for entry in section["entries"]]
    return [{"title": "", "items": first}, *found]


def sections(request: HttpRequest) -> list[dict[str, Any]]:
    """Return title and entries (title, icon, link, about) of each section that this person may open."""
    found: list[dict[str, Any]] = []
    if not scope.has_anything(request):
        return found
    for title, entries in SECTIONS.items():
        links = [(entry, _url(entry, request)) for entry in entries]
        usable = [
            {"title": entry.title, "icon": entry.icon, "link": link, "about": entry.about}
            for entry, link in links
            if link
        ]
        if usable:
            found.append({"title": title, "entries": usable})
    return found


def _url(entry: Entry, request: HttpRequest) -> str:
    if entry.area not in {"", *settings.AREAS} or not entry.is_on():
        return ""
    if entry.is_for_operators and not scope.is_operator(request):
        return ""
    if entry.page.startswith("/"):
        return entry.page
    if entry.page == SETTINGS:
        return switcher.settings_page(request)
    model, url = _model_and_url(entry.page)
    if model is None:
        return ""
    model_admin: Any = admin.site.get_model_admin(model)
    page_name = entry.page.partition("/")[2]
    if page_name:
        return url if model_admin.may_open(request, page_name) else ""
    return url if model_admin.has_view_or_change_permission(request) else ""
