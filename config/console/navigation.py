"""The menu: places with their pages, without those that are switched off or that the person may not open.

Source: docs/reference/console.md §1.4. Pages name models by label, so this module imports neither area.
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
HOME = "/admin/"
BESIDE, OPERATIONS = "Beside", "Operations"  # groups of the menu


@dataclass(frozen=True, slots=True)
class MenuPage:
    """A page of the console to which the menu leads, or the tabs of a place.

    page: a model label such as "app.Model" for its list; "app.Model/name" for another page of its admin, which
          `may_open` of the admin allows; a fixed path; or SETTINGS for the settings of the chosen service.
    about: a sentence with the words that people search for
    tab: its title among the tabs of its place, if it is not `title`
    area: the area that a fixed path belongs to
    is_shown: return whether this installation has the page, and this person needs it in this place
    """

    title: str
    page: str
    about: str
    _: KW_ONLY
    tab: str = ""
    area: str = ""
    is_shown: Callable[[HttpRequest], bool] = lambda request: True


def _has_inbox(request: HttpRequest) -> bool:
    return settings.SANDBOX_INBOX or "sandbox" in settings.PROVIDERS


def _is_official(request: HttpRequest) -> bool:
    return not scope.is_operator(request) and bool(switcher.settings_page(request))


def _has_only_data(request: HttpRequest) -> bool:
    return not scope.is_operator(request) and not switcher.settings_page(request)


# A group of the menu has places, and a place has pages. The tabs of a place lead to its pages.
MENU: dict[str, dict[str, tuple[MenuPage, ...]]] = {
    "": {
        "Dashboard": (MenuPage("Dashboard", HOME, "What was sent, what failed, and what needs you"),),
        "Templates": (MenuPage("Templates", "notifications.Template", "Message texts and their versions"),),
        "Send": (
            MenuPage(
                "Send a message",
                "notifications.Notification/send",
                "Send one message yourself, for real or as a test",
                tab="To one person",
            ),
            MenuPage(
                "Bulk sends",
                "notifications.BulkSend",
                "Send one template to every row of a spreadsheet or list",
                tab="To a list",
            ),
        ),
        "Messages": (
            MenuPage("Message log", "notifications.Notification", "Messages, their status and why they failed"),
            MenuPage("Files", "notifications.Attachment", "Files sent by email"),
            MenuPage(
                "One person", "notifications.Notification/person", "Find, export and erase what is stored of a person"
            ),
        ),
        "Inbox": (
            MenuPage(
                "Received emails", "notifications.ReceivedEmail", "Replies that people sent to a reply-to address"
            ),
            MenuPage("Received texts", "notifications.ReceivedText", "Texts that people sent you, and your replies"),
            MenuPage("Unsubscribe requests", "notifications.UnsubscribeRequest", "Recipients who want no more emails"),
        ),
        "Reports": (
            MenuPage("Reports", "notifications.Service/statistics", "Counts, costs, failures and delivery times"),
        ),
        "Team": (MenuPage("Team", "notifications.TeamMember", "Invite colleagues and choose their roles"),),
        "Settings": (
            MenuPage(
                "Settings",
                SETTINGS,
                "Name, channels, quiet hours, retention and limits of the service",
                tab="Service",
                area="notifications",
            ),
            MenuPage(
                "Reply-to addresses",
                "notifications.ReplyToAddress",
                "Email addresses that receive replies",
                tab="Reply-to",
            ),
            MenuPage(
                "Text message senders", "notifications.SmsSender", "Names that texts are sent from", tab="Text senders"
            ),
            MenuPage("Stopped recipients", "notifications.Suppression", "Suppressions: stop sending to a person"),
            MenuPage("Limits", "notifications.Service/limits_today", "How much of each limit is used"),
            MenuPage("Go live", "notifications.GoLiveRequest", "Ask to go live, and requests to make a service live"),
            MenuPage("Audit", "operations.AuditEvent", "Who did what, and when", is_shown=_is_official),
            MenuPage("Read log", "operations.ReadEvent", "Who opened which message or file", is_shown=_is_official),
        ),
    },
    BESIDE: {
        "For developers": (
            MenuPage(
                "API keys", "notifications.ApiKey", "API integration: keys, their usage and details for developers"
            ),
            MenuPage("Callbacks", "notifications.CallbackEndpoint", "URLs that receive the status of your messages"),
            MenuPage("Delivery log", "notifications.CallbackDelivery", "Calls to your callbacks and their answers"),
            MenuPage("Guest list", "notifications.GuestListEntry", "People whom a service in trial can send to"),
            MenuPage("Sandbox inbox", "/sandbox/", "Test messages", area="notifications", is_shown=_has_inbox),
            MenuPage("API docs", "/docs/", "All API calls and errors, with examples"),
        ),
        "Data": (
            MenuPage("Data sets", "datasets.DataSet", "Time-stamped records, each set at its own URL"),
            MenuPage("Saved queries", "datasets.SavedQuery", "Questions about data sets, with charts and URLs"),
            MenuPage("Dashboards", "datasets.Dashboard", "Pages of figures and charts, and publishing them"),
            MenuPage("Alarms", "datasets.Alarm", "Tell people when a data set is late or a figure is too high"),
            MenuPage("Access tokens", "datasets.AccessToken", "Tokens that read or write data sets"),
            MenuPage("Query tokens", "datasets.QueryToken", "Tokens that read one saved query"),
            MenuPage("Groups", "datasets.DataGroup", "The first part of a data set's path"),
            MenuPage("Types", "datasets.DataType", "The second part of a data set's path"),
            MenuPage("Audit", "operations.AuditEvent", "Who did what, and when", is_shown=_has_only_data),
            MenuPage("Read log", "operations.ReadEvent", "Who opened which record", is_shown=_has_only_data),
            MenuPage(
                "Clean-up",
                "operations.RetentionRun",
                "What is deleted automatically",
                is_shown=lambda request: not scope.is_operator(request),
            ),
        ),
    },
    OPERATIONS: {
        page.title: (page,)
        for page in (
            MenuPage("Health", "/admin/operations/health/", "What works, and what to do about the rest"),
            MenuPage(
                "Queue and providers",
                "/admin/operations/queue/",
                "What waits, runs and failed, and how providers answer",
                area="notifications",
            ),
            MenuPage("Clean-up", "operations.RetentionRun", "What is deleted automatically"),
            MenuPage("Background jobs", "operations.BulkJobRun", "Changes of many rows, exports and their progress"),
            MenuPage("Audit", "operations.AuditEvent", "Who did what, and when"),
            MenuPage("Read log", "operations.ReadEvent", "Who opened which message, file or record"),
            MenuPage("Services", "notifications.Service", "All services and their status"),
            MenuPage("Protected names", "notifications.ProtectedName", "Names only operators can assign, or nobody"),
            MenuPage("Users", "auth.User", "Accounts that can sign in"),
        )
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuLink:
    """A page that this person may open."""

    title: str
    tab: str
    url: str
    about: str
    place: str
    group: str
    is_list: bool


def links(request: HttpRequest) -> list[MenuLink]:
    """Return the pages that this person may open, in the order of the menu."""
    if not scope.has_anything(request):
        return []
    return [
        MenuLink(
            title=page.title,
            tab=page.tab or page.title,
            url=url,
            about=page.about,
            place=place,
            group=group,
            is_list="/" not in page.page,
        )
        for group, places in MENU.items()
        if group != OPERATIONS or scope.is_operator(request)
        for place, pages in places.items()
        for page in pages
        if (url := _url(page, request))
    ]


def frame(request: HttpRequest) -> dict[str, Any]:
    """Return the menu and the tabs of the current page for the templates.

    `menu`: title, places and `is_current` of each group; `place_tabs`: of a page that shares its place with others;
    `crumbs`: title and URL of the breadcrumbs above those of a list, or above the title of another page
    """
    found = links(request)
    path = request.path
    above = [one for one in found if path == one.url or (path.startswith(one.url) and one.url != HOME)]
    here = max(above, key=lambda one: len(one.url), default=None)
    groups: dict[str, dict[str, Any]] = {}
    for one in found:
        group = groups.setdefault(one.group, {"title": one.group, "places": {}, "is_current": False})
        is_current = here is not None and here.place == one.place and here.group == one.group
        group["places"].setdefault(one.place, {"title": one.place, "url": one.url, "is_current": is_current})
        group["is_current"] = group["is_current"] or is_current
    tabs = [
        {"title": one.tab, "url": one.url, "is_current": one == here}
        for one in found
        if here and one.place == here.place and one.group == here.group
    ]
    is_shared = here is not None and len(tabs) > 1 and request.path in {here.url, f"{here.url}change/"}
    menu = [{**group, "places": list(group["places"].values())} for group in groups.values()]
    crumbs = []
    if here and (here.group == OPERATIONS or len(tabs) > 1):
        crumbs.append(
            (OPERATIONS if here.group == OPERATIONS else here.place, "")
        )  # its first page depends on the person
    if here and not here.is_list and path != here.url:
        crumbs.append((here.title, here.url))
    place = here.place if here else ""
    return {"menu": menu, "place_tabs": tabs if is_shared else [], "place": place, "crumbs": crumbs}


@cache  # asked three times on each page, and the same for everybody
def title_of(list_url: str) -> str:
    """Return the title of a list in the menu, or "" if the menu does not have it."""
    pages = (page for places in MENU.values() for of_place in places.values() for page in of_place)
    return next((one.title for one in pages if "/" not in one.page and _model_and_url(one.page)[1] == list_url), "")


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


def _url(page: MenuPage, request: HttpRequest) -> str:
    if page.area not in {"", *settings.AREAS} or not page.is_shown(request):
        return ""
    if page.page.startswith("/"):
        return page.page
    if page.page == SETTINGS:
        return switcher.settings_page(request)
    model, url = _model_and_url(page.page)
    if model is None:
        return ""
    model_admin: Any = admin.site.get_model_admin(model)
    page_name = page.page.partition("/")[2]
    if page_name:
        return url if model_admin.may_open(request, page_name) else ""
    return url if model_admin.has_view_or_change_permission(request) else ""
