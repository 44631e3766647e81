"""Find one record for staff. Source: docs/reference/console.md §2.15."""

from dataclasses import dataclass
from datetime import datetime

from django.core import signing

from datasets.admin.record_forms import as_json
from datasets.models import DataSet, RecordValue
from datasets.queries import selected
from datasets.queries.readers import Reader

_SALT = "records-page"


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRecord:
    """One record: its time, its fields as JSON, and when, by which token and by which request it was stored."""

    record_id: str
    timestamp: datetime
    text: str
    updated_at: datetime
    token: str
    request_id: str


def one(data_set: DataSet, record_id: str, reader: Reader) -> WholeRecord | None:
    record = selected.readable(data_set, reader).filter(record_id=record_id).select_related("token").first()
    if record is None:
        return None
    return WholeRecord(
        record_id=record.record_id,
        timestamp=record.timestamp,
        text=as_json(RecordValue.of(record)),
        updated_at=record.updated_at,
        token=str(record.token or "–"),
        request_id=str(record.request_id or "–"),
    )


def place(data_set: DataSet, record_id: str) -> str:
    """Return the place of a record, which pages send back by POST."""
    return signing.dumps([data_set.pk, record_id], salt=_SALT)


def id_at(data_set: DataSet, place: str) -> str | None:
    """Return the `_id` of the record at a place that a page has given, or None for another text."""
    try:
        data_set_id, record_id = signing.loads(place, salt=_SALT)
    except (signing.BadSignature, ValueError):  # forged, or from a page of an earlier version
        return None
    return str(record_id) if data_set_id == data_set.pk else None
