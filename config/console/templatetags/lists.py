"""The active filters above a list, each with a link that removes it."""

from typing import Any

from django import template

register = template.Library()


@register.simple_tag
def active_filters(changelist: Any) -> list[dict[str, str]]:
    """Return the filters for which the list's query string has a valid value, with the URL that removes each."""
    found = []
    for spec in changelist.filter_specs:
        parameters = [name for name in spec.expected_parameters() if name in changelist.params]
        chosen = [choice for choice in spec.choices(changelist) if choice.get("selected")] if parameters else []
        if chosen:
            remove_url = changelist.get_query_string(remove=[*parameters, "p"])
            value = " or ".join(str(choice["display"]) for choice in chosen)
            found.append({"title": str(spec.title), "value": value, "remove_url": remove_url})
    return found
