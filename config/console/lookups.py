"""Which query strings a list accepts: those of its declared filters, nothing else (trap T2).

Django lets any local field be filtered, declared or not: `?sealed_secret__startswith=…` would read a hidden column
letter by letter.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import ListFilter

# What Django's own field filters put behind a field's name: choices, related rows, dates, booleans.
_ENDINGS = ("", "__exact", "__isnull", "__id__exact", "__gte", "__lt")
_DATE_ENDINGS = ("__year", "__month", "__day", "__gte", "__lt")


def declared(list_filter: Iterable[Any], date_hierarchy: str | None) -> set[str]:
    """Return every lookup the declared filters use.

    >>> sorted(declared(["live"], None))
    ['live', 'live__exact', 'live__gte', 'live__id__exact', 'live__isnull', 'live__lt']
    >>> sorted(declared([], "at"))
    ['at__day', 'at__gte', 'at__lt', 'at__month', 'at__year']
    """
    allowed: set[str] = set()
    for one in list_filter:
        if isinstance(one, type) and issubclass(one, ListFilter):
            allowed.add(one.parameter_name)  # type: ignore[attr-defined]  # the classes given here are SimpleListFilters
        else:
            field = one[0] if isinstance(one, (list, tuple)) else one
            allowed.update(f"{field}{ending}" for ending in _ENDINGS)
    if date_hierarchy:
        allowed.update(f"{date_hierarchy}{ending}" for ending in _DATE_ENDINGS)
    return allowed
