"""Refuse names that look like a path or a comparison (`geo.country`, `ms>1000`) unless a record has the field.

A field may have such a name, so the name alone does not show the mistake. Without this check the answer is an empty
list, which looks like a result. Source: docs/reference/data-sets.md §11.
"""

import re
from collections.abc import Iterator

from datasets import errors
from datasets.models import DataSet, FieldSeen
from datasets.queries.query import Query
from datasets.queries.stored import FieldText, prepare
from datasets.records import names

_LOOKS_LIKE_SYNTAX = re.compile(r"[!-,./:-@\[-^`{-~]")  # ASCII punctuation except `-` and `_`


def check(data_set: DataSet, query: Query) -> None:
    """Raise FieldUnknown for the first such name that no record has. In an empty data set every name may come later."""
    for parameter, name in _names(query):
        if _LOOKS_LIKE_SYNTAX.search(name) and data_set.record_count and not _has(data_set, parameter, name):
            raise errors.FieldUnknown(parameter=parameter, name=name[:50])


def _names(query: Query) -> Iterator[tuple[str, str]]:
    yield from (("filter_by_prefix" if one.is_prefix else "filter_by", one.name) for one in query.filters)
    yield from (("group_by", name) for name in query.group_by)
    yield from (("collect", one.name) for one in query.collect)
    yield from (("select", name) for name in query.select)
    if query.sort is not None and query.is_raw:  # a sorted key of a group is a name from above
        yield "sort_by", query.sort.key


def _has(data_set: DataSet, parameter: str, name: str) -> bool:
    """Return whether a record has the field or, where a parameter takes one, the path."""
    path = names.path_of(name) if parameter in {"group_by", "collect"} else None
    return _has_field(data_set, name) or (path is not None and _has_path(data_set, path))


def _has_path(data_set: DataSet, path: tuple[str, ...]) -> bool:
    prepare()
    return data_set.records.alias(value=FieldText(*path)).filter(value__isnull=False).exists()


def _has_field(data_set: DataSet, name: str) -> bool:
    """Return whether a record has the field. The sample of the fields is read first, because it is small."""
    if FieldSeen.objects.filter(data_set=data_set, name=name).exists():
        return True
    prepare()
    records = data_set.records.alias(value=FieldText(name))
    return records.filter(value__isnull=False).exists()
