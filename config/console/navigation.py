"""The sidebar: the console's sections in the order people work, without what is not there or not theirs.

Source: Staff console §1.4. Pages are named by their model's label, so that neither area is imported.
"""

from dataclasses import dataclass

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the sidebar: `page` is a model's label or a fixed address, `area` the area a fixed address needs."""

    title: str
    icon: str
    page: str
    about: str
    area: str = ""


SECTIONS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    (
        "Messages",
        (
            Entry(
                title="Message log",
                icon="outbox",
                page="notifications.Notification",
                about="Every message, and how far it has come",
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
                about="The texts people receive, with their versions",
            ),
            Entry(
                title="Files",
                icon="attach_file",
                page="notifications.Attachment",
                about="Documents that emails link to, and how long they can be had",
            ),
        ),
    ),
    (
        "API",
        (
            Entry(
                title="API keys",
                icon="key",
                page="notifications.ApiKey",
                about="What a program needs to send messages",
            ),
            Entry(
                title="Guest list",
                icon="group_add",
                page="notifications.GuestListEntry",
                about="People a service in trial may reach besides its team",
            ),
            Entry(
                title="Sandbox inbox",
                icon="inbox",
                page="/sandbox/",
                about="What would have arrived, nothing having left",
                area="notifications",
            ),
            Entry(
                title="API documentation",
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
                about="Time-stamped records under one address each",
            ),
            Entry(title="Groups", icon="folder", page="datasets.DataGroup", about="The first word of a set's address"),
            Entry(title="Types", icon="label", page="datasets.DataType", about="The second word of a set's address"),
            Entry(
                title="Access tokens",
                icon="token",
                page="datasets.AccessToken",
                about="What a program needs to write or read a set",
            ),
        ),
    ),
    (
        "Service",
        (
            Entry(
                title="Services",
                icon="apartment",
                page="notifications.Service",
                about="Settings, limits and state of each sender of messages",
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
                about="People of a service, whom it may always reach",
            ),
        ),
    ),
    (
        "Operations",
        (
            Entry(title="Audit", icon="history", page="operations.AuditEvent", about="Who did what, and when"),
            Entry(title="Users", icon="manage_accounts", page="auth.User", about="Who may sign in here"),
        ),
    ),
)


def sidebar(request: HttpRequest) -> list[dict[str, object]]:
    """Return the sidebar as the theme wants it: the overview, then each section that has a page for this person."""
    overview = {"title": "Overview", "icon": "home", "link": reverse("admin:index")}
    return [
        {"title": "", "items": [overview]},
        *({"title": section["title"], "items": section["entries"]} for section in sections(request)),
    ]


def sections(request: HttpRequest) -> list[dict[str, object]]:
    """Return title and entries (title, icon, link, about) of each section this person may use."""
    found: list[dict[str, object]] = []
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
    if entry.page.startswith("/"):
        return entry.page if entry.area in {"", *settings.AREAS} else ""
    label, _, name = entry.page.partition(".")
    try:
        model = apps.get_model(label, name)
        page = reverse(f"admin:{label}_{name.lower()}_changelist")
    except (LookupError, NoReverseMatch):
        return ""
    return page if admin.site.get_model_admin(model).has_view_or_change_permission(request) else ""
