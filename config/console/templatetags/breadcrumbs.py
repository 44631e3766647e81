"""The way to a page, in the words of the sidebar: where the theme would say an app's name, its section stands."""

from typing import Any

from django import template
from django.template.defaultfilters import capfirst

from config.console import navigation

register = template.Library()


@register.filter
def in_our_words(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Name section and list as the sidebar does; a section is no page.

    parts: what the theme found, each with `title` and maybe `link`: an app, a list, and a row of it.
    """
    if len(parts) < 2 or "link" not in parts[0]:
        return parts
    section, title = navigation.place_of(str(parts[1].get("link", "")))
    if not section:
        section = str(parts[0]["title"])
    rows = [{**part, "title": getattr(part["title"], "row_title", part["title"])} for part in parts[2:]]
    return [{"title": section}, {**parts[1], "title": title or capfirst(parts[1]["title"])}, *rows]


@register.filter
def is_not_the_list(title: str, list_url: str) -> bool:
    """Say whether a page below a list has a name of its own; the list itself is named on the way to it."""
    return navigation.place_of(list_url)[1] != title
