"""Which query strings a list accepts: those of its declared filters, nothing else (trap T2).

Django lets any local field be filtered, declared or not: `?sealed_secret__startswith=…` would read a hidden column
letter by letter.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import ListFilter
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import ValidationError
from django.db import models


def declared(model: type[models.Model], list_filter: Iterable[Any], date_hierarchy: str | None) -> set[str]:
    """Return every lookup the declared filters send, and those of the date hierarchy."""
    allowed: set[str] = set()
    for one in list_filter:
        if isinstance(one, type) and issubclass(one, ListFilter):
            allowed.add(one.parameter_name)  # type: ignore[attr-defined]  # the classes given here are SimpleListFilters
        else:
            path = one[0] if isinstance(one, (list, tuple)) else one
            allowed.update(f"{path}{ending}" for ending in _endings(get_fields_from_path(model, path)[-1]))
    if date_hierarchy:
        allowed.update(f"{date_hierarchy}__{part}" for part in ("year", "month", "day", "gte", "lt"))
    return allowed


def _endings(field: Any) -> tuple[str, ...]:
    """Return what Django's filter of a field puts behind its name: for related rows, for moments, for all others."""
    if field.is_relation:
        return (f"__{field.target_field.name}__exact", "__isnull")
    if isinstance(field, models.DateField):
        return ("__gte", "__lt", "__isnull")
    return ("", "__exact", "__isnull")


def is_key(model: type[models.Model], text: str) -> bool:
    """Return True if a row of this model may have this key; a number that is too long fails in the database."""
    key = model._meta.pk
    try:
        key.run_validators(key.to_python(text))
    except ValidationError:
        return False
    return True
