"""Sample the records of a data set and store their field names.

The console and the clock run it; writes do not. A sample has up to 1,000 records: the 500 newest, and 500 from a random
moment on, so that older fields are found too. Source: docs/reference/console.md §2.15 (fields seen).
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, QuerySet, TextField, When
from django.db.models.functions import Cast, Length

from datasets.models import DataSet, FieldSeen

_HALF = 500  # records
_MOST = 200  # fields stored for each data set
_EXAMPLE = 60  # characters
_LONGEST = 65_536  # characters; larger records are skipped, so that a sample fits in memory
_TYPES = ("number", "text", "boolean", "null", "array", "object")


def is_stale(data_set: DataSet) -> bool:
    return data_set.fields_revision != data_set.revision


def stale() -> QuerySet[DataSet]:
    return DataSet.objects.exclude(fields_revision=F("revision"))


def note(data_set: DataSet) -> None:
    """Sample the records and replace the stored fields.

    A field that the sample does not have keeps its name and types, but not its example.
    """
    counts: Counter[str] = Counter()
    types: dict[str, set[str]] = {}
    examples: dict[str, str] = {}
    looked_at = 0
    for body in _sample(data_set):
        looked_at += 1
        for name, value in json.loads(body).items():
            types.setdefault(name, set()).add(_type_of(value))
            if value is not None:
                counts[name] += 1
                examples.setdefault(name, json.dumps(value, ensure_ascii=False)[:_EXAMPLE])
    found = sorted(types, key=lambda name: (-counts[name], name))[:_MOST]
    with transaction.atomic():
        # This update also locks the row, so that two samples of one data set replace each other.
        DataSet.objects.filter(pk=data_set.pk).update(fields_revision=data_set.revision)
        known = {field.name: field for field in FieldSeen.objects.filter(data_set=data_set)} if looked_at else {}
        FieldSeen.objects.filter(data_set=data_set).delete()
        rows = [
            FieldSeen(
                data_set=data_set,
                name=name,
                types=_in_order(types.get(name, set()) | set(known[name].types if name in known else ())),
                filled_percent=round(100 * counts[name] / looked_at),
                example=examples.get(name, ""),
            )
            for name in [*found, *(name for name in known if name not in types)][:_MOST]
        ]
        FieldSeen.objects.bulk_create(rows)
    data_set.fields_revision = data_set.revision


def _sample(data_set: DataSet) -> Iterator[str]:
    text = Cast("body", TextField())
    records = data_set.records.annotate(size=Length(text))
    records = records.annotate(text=Case(When(size__lte=_LONGEST, then=text)))
    newest = list(records.order_by("-timestamp", "-record_id").values_list("text", "timestamp")[:_HALF])
    yield from (body for body, _ in newest if body is not None)
    if len(newest) < _HALF:
        return
    border = newest[-1][1]
    oldest = records.order_by("timestamp", "record_id").values_list("timestamp", flat=True).first()
    if oldest is None or oldest >= border:
        return
    start = oldest + timedelta(seconds=random.random() * (border - oldest).total_seconds())  # noqa: S311  not a secret
    some = records.filter(timestamp__gte=start, timestamp__lt=border).order_by("timestamp", "record_id")
    yield from (body for body in some.values_list("text", flat=True)[:_HALF] if body is not None)


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "array"
    return "null" if value is None else "object"


def _in_order(types: set[str]) -> list[str]:
    return [word for word in _TYPES if word in types]
