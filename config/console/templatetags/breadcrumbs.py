"""Breadcrumbs with the titles of the menu instead of app and model names."""

from typing import Any

from django import template
from django.template.defaultfilters import capfirst

from config.console import navigation

register = template.Library()


@register.filter
def with_menu_titles(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replace the titles of app and list. The place has no link, because its first page depends on the person.

    parts: the theme's breadcrumbs for app, list and row, each with `title` and maybe `link`. A row with `crumbs_above`
    has these instead of its list, and no place if there are none.
    """
    if len(parts) < 2 or "link" not in parts[0]:
        return parts
    place, title = navigation.place_of(str(parts[1].get("link", "")))
    rows = [{**part, "title": getattr(part["title"], "row_title", part["title"])} for part in parts[2:]]
    list_part = {**parts[1], "title": title or capfirst(parts[1]["title"])}
    above = getattr(parts[-1]["title"], "crumbs_above", [list_part])
    return [*([{"title": place}] if place and above else []), *above, *rows]


@register.filter
def is_not_the_list(title: str, list_url: str) -> bool:
    """Return whether a page's title differs from its list, which the breadcrumbs already contain."""
    return navigation.place_of(list_url)[1] != title
