"""The sidebar: the console's sections in the order people work, without what is not there or not theirs.

Source: Staff console §1.4. Pages are named by their model's label, so that neither area is imported.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from config.console import scope, switcher

SETTINGS = "settings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the sidebar.

    page: a model's label, one with a page of its admin's behind a slash, whose `may_open` is asked for it, a fixed
          address, or SETTINGS for the page of the chosen service.
    area: the area a fixed address needs; is_on: whether it is there at all; is_for_operators: for nobody else.
    """

    title: str
    icon: str
    page: str
    about: str
    area: str = ""
    is_on: Callable[[], bool] = lambda: True
    is_for_operators: bool = False


def _has_inbox() -> bool:
    return settings.SANDBOX_INBOX or "sandbox" in settings.PROVIDERS


SECTIONS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    (
        "Messages",
        (
            Entry(
                title="Message log",
                icon="outbox",
                page="notifications.Notification",
                about="Messages and their status",
            ),
            Entry(
                title="Send a message",
                icon="send",
                page="notifications.Notification/send",
                about="One message by hand, for real or as a test",
            ),
            Entry(
                title="Unsubscribe requests",
                icon="unsubscribe",
                page="notifications.UnsubscribeRequest",
                about="Recipients who want no more emails",
            ),
        ),
    ),
    (
        "Content",
        (
            Entry(
                title="Templates",
                icon="article",
                page="notifications.Template",
                about="Texts of messages, with their versions",
            ),
            Entry(
                title="Files",
                icon="attach_file",
                page="notifications.Attachment",
                about="Files sent by email",
            ),
        ),
    ),
    (
        "API",
        (
            Entry(
                title="API integration",
                icon="key",
                page="notifications.ApiKey",
                about="Keys, and what else a program needs",
            ),
            Entry(
                title="Guest list",
                icon="group_add",
                page="notifications.GuestListEntry",
                about="People a service in trial reaches besides its team",
            ),
            Entry(
                title="Callbacks",
                icon="webhook",
                page="notifications.CallbackEndpoint",
                about="URLs that Signalbox calls with the status of messages",
            ),
            Entry(
                title="Sandbox inbox",
                icon="inbox",
                page="/sandbox/",
                about="Test messages",
                area="notifications",
                is_on=_has_inbox,
            ),
            Entry(
                title="API docs",
                icon="menu_book",
                page="/docs/",
                about="Every call, and every error with its fix",
            ),
        ),
    ),
    (
        "Data",
        (
            Entry(
                title="Data sets",
                icon="database",
                page="datasets.DataSet",
                about="Time-stamped records, each set under its own URL",
            ),
            Entry(title="Groups", icon="folder", page="datasets.DataGroup", about="The first word of a data set's URL"),
            Entry(title="Types", icon="label", page="datasets.DataType", about="The second word of a data set's URL"),
        ),
    ),
    (
        "Service",
        (
            Entry(
                title="Settings",
                icon="tune",
                page=SETTINGS,
                about="Channels, limits and state of the service",
                area="notifications",
            ),
            Entry(
                title="Reply-to addresses",
                icon="reply",
                page="notifications.ReplyToAddress",
                about="Where a recipient's answer goes",
            ),
            Entry(
                title="Text message senders",
                icon="sms",
                page="notifications.SmsSender",
                about="The name a text message comes from",
            ),
            Entry(
                title="Team",
                icon="group",
                page="notifications.TeamMember",
                about="Team members",
            ),
        ),
    ),
    (
        "Operations",
        (
            Entry(
                title="Clean-up",
                icon="mop",
                page="operations.RetentionRun",
                about="What is deleted automatically",
            ),
            Entry(title="Audit", icon="history", page="operations.AuditEvent", about="Who did what, and when"),
            Entry(
                title="Services",
                icon="apartment",
                page="notifications.Service",
                about="All services and their state",
                is_for_operators=True,
            ),
            Entry(
                title="Protected names",
                icon="verified_user",
                page="notifications.ProtectedName",
                about="Sender names that only operators give to a service",
                is_for_operators=True,
            ),
            Entry(title="Users", icon="manage_accounts", page="auth.User", about="Who may sign in here"),
        ),
    ),
)


# Rows with a list of their own that the sidebar leaves to the page of what they belong to: section and that page.
BESIDE = {
    "notifications.CallbackDelivery": ("API", "notifications.CallbackEndpoint"),
    "datasets.AccessToken": ("Data", "datasets.DataSet"),
    "operations.BackgroundStep": ("Operations", ""),
}


def place_of(list_url: str) -> tuple[str, str]:
    """Return the section of a list, and its title in the sidebar; "" for what has none."""
    for title, entries in SECTIONS:
        for entry in entries:
            if _list_of(entry.page) == list_url:
                return title, entry.title
    return next(((title, "") for page, (title, _) in BESIDE.items() if _list_of(page) == list_url), ("", ""))


def _is_below(request: HttpRequest, page: str) -> bool:
    list_url = _list_of(page)
    return bool(list_url) and request.path.startswith(list_url)


def _list_of(page: str) -> str:
    if "." not in page or "/" in page:
        return ""
    try:
        return reverse(f"admin:{page.lower().replace('.', '_')}_changelist")
    except NoReverseMatch:
        return ""


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the sidebar as the theme wants it: the overview, then each section that has a page for this person."""
    overview = {"title": "Overview", "icon": "home", "link": reverse("admin:index")}
    found = sections(request)
    around = [entry["link"] for section in found for entry in section["entries"]]
    # The theme would mark every entry whose address begins this one; a page below a list has an entry of its own.
    here = max((link for link in around if request.path.startswith(link)), key=len, default="")
    here = here or next((_list_of(page) for row, (_, page) in BESIDE.items() if _is_below(request, row)), "")
    for section in found:
        section["items"] = [{**entry, "active": entry["link"] == here} for entry in section["entries"]]
    return [{"title": "", "items": [overview]}, *found]


def sections(request: HttpRequest) -> list[dict[str, Any]]:
    """Return title and entries (title, icon, link, about) of each section this person may use."""
    found: list[dict[str, Any]] = []
    if not scope.has_anything(request):
        return found
    for title, entries in SECTIONS:
        links = [(entry, _address(entry, request)) for entry in entries]
        usable = [
            {"title": entry.title, "icon": entry.icon, "link": link, "about": entry.about}
            for entry, link in links
            if link
        ]
        if usable:
            found.append({"title": title, "entries": usable})
    return found


def _address(entry: Entry, request: HttpRequest) -> str:
    if entry.area not in {"", *settings.AREAS} or not entry.is_on():
        return ""
    if entry.is_for_operators and not scope.is_operator(request):
        return ""
    if entry.page.startswith("/"):
        return entry.page
    if entry.page == SETTINGS:
        return switcher.settings_page(request)
    label, _, place = entry.page.partition(".")
    name, _, word = place.partition("/")
    try:
        model = apps.get_model(label, name)
        page = reverse(f"admin:{label}_{name.lower()}_{word or 'changelist'}")
    except (LookupError, NoReverseMatch):
        return ""
    model_admin: Any = admin.site.get_model_admin(model)
    is_theirs = model_admin.may_open(request, word) if word else model_admin.has_view_or_change_permission(request)
    return page if is_theirs else ""
