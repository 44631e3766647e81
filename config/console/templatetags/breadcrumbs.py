"""Breadcrumbs with the titles of the menu instead of app and model names."""

from typing import Any

from django import template
from django.template.defaultfilters import capfirst

from config.console import navigation

register = template.Library()


@register.filter
def with_menu_titles(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replace the title of the list by that of the menu, and leave out the app, whose place `crumbs` has.

    parts: the theme's breadcrumbs for app, list and row, each with `title` and maybe `link`. A row with `crumbs_above`
    has these instead of its list.
    """
    if len(parts) < 2 or "link" not in parts[0]:
        return parts
    title = navigation.title_of(str(parts[1].get("link", ""))) or capfirst(parts[1]["title"])
    rows = [{**part, "title": getattr(part["title"], "row_title", part["title"])} for part in parts[2:]]
    return [*getattr(parts[-1]["title"], "crumbs_above", [{**parts[1], "title": title}]), *rows]


@register.filter
def is_not_the_list(title: str, list_url: str) -> bool:
    """Return whether a page's title differs from its list, which the breadcrumbs already contain."""
    return navigation.title_of(list_url) != title
