"""The lookups that a list accepts in its query string: only those of its declared filters (trap T2).

Django lets callers filter by any local field, so `?encrypted_secret__startswith=…` would reveal a column that no page
shows, letter by letter.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import ListFilter
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import ValidationError
from django.db import models


def declared(model: type[models.Model], list_filter: Iterable[Any], date_hierarchy: str | None) -> set[str]:
    """Return the lookups of the declared filters and of the date hierarchy."""
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
    """Return the suffixes that Django's filter for this field appends to the field's name."""
    if field.is_relation:
        return (f"__{field.target_field.name}__exact", "__isnull")
    if isinstance(field, models.DateField):
        return ("__gte", "__lt", "__isnull")
    return ("", "__exact", "__isnull")


def is_key(model: type[models.Model], text: str) -> bool:
    """Return whether the text is a valid primary key. A number that is too long would fail in the database."""
    key = model._meta.pk
    try:
        key.run_validators(key.to_python(text))
    except ValidationError:
        return False
    return True
