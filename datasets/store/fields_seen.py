"""Sample the records of a data set, and store their field names and their schema.

The console and the clock run it; writes do not. A sample has up to 1,000 records: the 500 newest, and 500 from a random
moment on, so that older fields are found too. Source: docs/reference/console.md §2.15 (fields seen).
"""

import json
import random
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta
from itertools import starmap
from typing import Any, NamedTuple

from django.db import OperationalError, connection, transaction
from django.db.models import Case, F, QuerySet, TextField, When
from django.db.models.functions import Cast, Length
from django.utils import timezone

from config.databases import outage, statements
from datasets.models import DataSet, DataSetSchema, FieldDrift, FieldSeen
from datasets.records import moments
from datasets.records.schemas import documents
from datasets.records.schemas.fitting import DriftCount
from datasets.records.schemas.learning import Learner

_HALF = 500  # records
_MOST = 200  # fields stored for each data set
_EXAMPLE = 60  # characters
_LONGEST = 65_536  # characters; larger records are skipped, so that a sample fits in memory
_LEARNED = 4_000_000  # characters of records from which a schema is learned, at most 3 s
_TYPES = ("number", "text", "boolean", "null", "array", "object")


def is_stale(data_set: DataSet) -> bool:
    return data_set.fields_revision != data_set.revision


def current(data_set: DataSet) -> list[FieldSeen]:
    """Return the fields of the newest sample, which is taken first if records have been written since the last one."""
    refresh(data_set)
    return list(FieldSeen.objects.filter(data_set=data_set))


def refresh(data_set: DataSet) -> None:
    """Take a sample for a page if records have been written since the last one. If it takes too long, note that."""
    if is_stale(data_set):
        try:
            with _limited():
                note(data_set)
        except OperationalError as error:
            if not outage.is_out_of_time(error):
                raise
            data_set.is_sample_old = True


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
    schema = _Sampled(data_set)
    for record in _sample(data_set):
        looked_at += 1
        fields = json.loads(record.text)
        schema.add(record, fields)
        for name, value in fields.items():
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
        schema.save(has_records=looked_at > 0)
    data_set.fields_revision = data_set.revision


class _Sampled:
    """Learns the schema of a sample, and counts how the records since the last sample differ from the schema."""

    def __init__(self, data_set: DataSet) -> None:
        self._data_set = data_set
        self._row = DataSetSchema.objects.filter(data_set=data_set).first() or DataSetSchema(data_set=data_set)
        self._learner = Learner()
        self._characters = 0
        self._drift = None
        if self._row.learned_at is not None and (current := self._row.current):
            self._drift = DriftCount(current, only_new=data_set.schema_mode != DataSet.SchemaMode.OFF)

    def add(self, record: "_SampledRecord", fields: dict[str, Any]) -> None:
        if self._characters > _LEARNED:
            return
        self._characters += len(record.text)
        self._learner.add(fields)
        if self._drift and self._row.learned_at and record.updated_at > self._row.learned_at:
            own = {"_id": record.record_id, "_timestamp": moments.write(record.timestamp)}
            self._drift.add(own | fields)

    def save(self, *, has_records: bool) -> None:
        learned = documents.write_schema(self._learner.schema()) if has_records else ""
        DataSetSchema.objects.update_or_create(
            data_set=self._data_set, defaults={"learned": learned, "learned_at": timezone.now()}
        )
        if self._drift:
            FieldDrift.objects.add(self._data_set.pk, self._drift.counts())


class _SampledRecord(NamedTuple):
    """One record of a sample. text: None if it is too long"""

    text: str
    timestamp: datetime
    record_id: str
    updated_at: datetime


def values(data_set: DataSet, names: Collection[str], *, most: int) -> dict[str, list[str]]:
    """Return the texts, numbers and booleans of fields in a sample, without fields that have more than `most`.

    Nothing is returned if the sample takes too long.
    """
    try:
        with _limited():
            return _values(data_set, names, most=most)
    except OperationalError as error:
        if outage.is_out_of_time(error):
            return {}
        raise


def _values(data_set: DataSet, names: Collection[str], *, most: int) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {name: set() for name in names}
    for record in _sample(data_set):
        fields = json.loads(record.text)
        for name, seen in found.items():
            value = fields.get(name)
            if isinstance(value, str | int | float) and len(seen) <= most:
                seen.add(value if isinstance(value, str) else json.dumps(value))
    return {name: sorted(seen) for name, seen in found.items() if 0 < len(seen) <= most}


@contextmanager
def _limited() -> Iterator[None]:
    """Limit each statement of the block. A savepoint keeps an open transaction usable after a limit."""
    with statements.limited(connection), transaction.atomic() if connection.in_atomic_block else nullcontext():
        yield


def _sample(data_set: DataSet) -> Iterator[_SampledRecord]:
    text = Cast("body", TextField())
    records = data_set.records.annotate(size=Length(text))
    records = records.annotate(text=Case(When(size__lte=_LONGEST, then=text)))
    newest = list(starmap(_SampledRecord, _rows(records.order_by("-timestamp", "-record_id"))))
    yield from (record for record in newest if record.text is not None)
    if len(newest) < _HALF:
        return
    border = newest[-1].timestamp
    oldest = records.order_by("timestamp", "record_id").values_list("timestamp", flat=True).first()
    if oldest is None or oldest >= border:
        return
    start = oldest + timedelta(seconds=random.random() * (border - oldest).total_seconds())  # noqa: S311  not a secret
    some = records.filter(timestamp__gte=start, timestamp__lt=border).order_by("timestamp", "record_id")
    yield from (record for record in starmap(_SampledRecord, _rows(some)) if record.text is not None)


def _rows(records: QuerySet[Any]) -> Any:  # Any: with the annotated text; rows of values
    return records.values_list("text", "timestamp", "record_id", "updated_at")[:_HALF]


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
