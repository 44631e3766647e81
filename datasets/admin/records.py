"""Records as staff look at them: newest first, as stored. Source: Staff console §2.15."""

from dataclasses import dataclass

from django.core import signing
from django.db.models import Q
from django.utils.text import Truncator

from datasets.models import DataSet, Record
from datasets.records import moments

_PAGE = 50  # Staff console §2.15
_SHOWN = 400  # characters of a record's fields
_SALT = "records-page"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRow:
    """One record as text. Moments are UTC, as callers see them: the year 0001 has no time of day in London."""

    timestamp: str
    record_id: str
    body: str
    updated_at: str
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsPage:
    """Fifty records and the signed place the next fifty begin at; "" at the end."""

    records: list[RecordRow]
    after: str


def newest(data_set: DataSet, *, after: str) -> RecordsPage:
    """Return one page, found by key; a place that is not ours is the beginning."""
    found = Record.objects.filter(data_set=data_set).select_related("token").order_by("-timestamp", "-record_id")
    place = _read(data_set, after)
    if place is not None:
        timestamp, record_id = moments.parse(place[0]), place[1]
        found = found.filter(timestamp__lte=timestamp)
        found = found.filter(Q(timestamp__lt=timestamp) | Q(record_id__lt=record_id))
    rows = list(found[: _PAGE + 1])
    after = _write(data_set, rows[_PAGE - 1]) if len(rows) > _PAGE else ""
    return RecordsPage(records=[_row(record) for record in rows[:_PAGE]], after=after)


def _row(record: Record) -> RecordRow:
    return RecordRow(
        timestamp=moments.write(record.timestamp),
        record_id=record.record_id,
        body=Truncator(record.body).chars(_SHOWN),
        updated_at=moments.write(record.updated_at),
        token=str(record.token or "–"),
    )


def _write(data_set: DataSet, last: Record) -> str:
    return signing.dumps([data_set.pk, moments.write(last.timestamp), last.record_id], salt=_SALT)


def _read(data_set: DataSet, after: str) -> tuple[str, str] | None:
    try:
        data_set_id, timestamp, record_id = signing.loads(after, salt=_SALT)
    except signing.BadSignature:
        return None
    return (timestamp, record_id) if data_set_id == data_set.pk else None
