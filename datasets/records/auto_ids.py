"""Make an `_id` from the values of a record. Source: docs/reference/data-sets.md §13."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from datasets.records import moments, names


def make(record: Mapping[str, object], auto_ids: Sequence[str]) -> str:
    """Return the hash of the values. Its form must never change, because callers store these ids.

    Numbers are compared by value, moments as instants, and objects without the order of their names.

    >>> make({"p": 1}, ["p"]) == make({"p": 1.0}, ["p"])
    True
    >>> make({"p": 1}, ["p"]) == make({"p": True}, ["p"])
    False
    """
    values = [_instant(record[name]) if name in names.MOMENTS else _by_value(record[name]) for name in auto_ids]
    canonical = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _instant(value: object) -> str:
    return moments.write(moments.parse(str(value)))


def _by_value(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_by_value(inner) for inner in value]
    if isinstance(value, dict):
        return {name: _by_value(inner) for name, inner in value.items()}
    return value
