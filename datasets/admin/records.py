"""Show records to staff, as a list and one by one. Source: docs/reference/console.md §2.15."""

import json
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core import signing
from django.utils.text import Truncator

from config.console.theme import TextInput
from config.databases import keyset
from datasets.admin.record_forms import as_json
from datasets.errors import QueryTooLarge
from datasets.models import ChosenColumns, DataSet, FieldSeen, Record, RecordValue
from datasets.queries import selected, time_limit
from datasets.queries.readers import Reader
from datasets.records import moments
from datasets.store import fields_seen

_PAGE = 50
_SHOWN = 80  # characters of a cell
_AT_FIRST = 6  # columns until a person chooses some
_SALT = "records-page"
_PLAIN = {"autocomplete": "off", "spellcheck": "false"}


class MomentField(forms.CharField):
    """A date, or a date and time, in UTC."""

    def to_python(self, value: Any) -> Any:
        text = (super().to_python(value) or "").strip().replace(" ", "T")
        if not text:
            return None
        try:
            return moments.parse(f"{text}T00:00:00Z" if "T" not in text else text)
        except moments.NotAMoment as error:
            raise forms.ValidationError(
                "Enter a date such as 2024-01-31, or a date and time such as 2024-01-31 09:30."
            ) from error


class RecordsForm(forms.Form):
    """The filters. They are sent by POST, because an `_id` may be personal data."""

    start_at = MomentField(
        label="From (UTC)", required=False, widget=TextInput(attrs=_PLAIN), help_text="Such as 2024-01-31"
    )
    end_at = MomentField(
        label="Before (UTC)", required=False, widget=TextInput(attrs=_PLAIN), help_text="Such as 2024-01-31 09:30"
    )
    record_id = forms.CharField(label="_id", required=False, strip=False, widget=TextInput(attrs=_PLAIN))

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        start, end = cleaned.get("start_at"), cleaned.get("end_at")
        if start and end and end <= start:
            self.add_error("end_at", "Enter a later date than in “From”.")
        return cleaned


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRow:
    """One record as text. Moments are in UTC, because the year 0001 has no local time in London."""

    place: str
    timestamp: str
    record_id: str
    cells: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsPage:
    """Fifty records and the signed position of the next page; "" on the last page."""

    records: list[RecordRow]
    after: str
    is_filtered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRecord:
    """One record: its fields as JSON, and when, by which token and by which request it was stored."""

    record_id: str
    text: str
    updated_at: str
    token: str
    request_id: str


def offered(data_set: DataSet, chosen: list[str]) -> list[str]:
    seen = FieldSeen.objects.filter(data_set=data_set).values_list("name", flat=True)
    return list(dict.fromkeys([*chosen, *seen]))


def columns(data_set: DataSet, user: User | None, form: RecordsForm) -> list[str]:
    """Return the fields that the person sees as columns. Store a new choice."""
    if fields_seen.is_stale(data_set):
        fields_seen.note(data_set)
    seen = list(FieldSeen.objects.filter(data_set=data_set).values_list("name", flat=True))
    if form.is_bound and "choose" in form.data and user is not None:
        names = [name for name in form.data.getlist("columns") if name in seen]  # type: ignore[attr-defined]  # a QueryDict
        ChosenColumns.objects.update_or_create(user=user, data_set=data_set, defaults={"names": names})
    kept = ChosenColumns.objects.filter(user=user, data_set=data_set).values_list("names", flat=True).first()
    return [name for name in kept if name in seen] if kept else seen[:_AT_FIRST]


def newest(data_set: DataSet, form: RecordsForm, names: list[str], reader: Reader) -> RecordsPage:
    """Return one page, found by key. An invalid position means the first page."""
    found = selected.readable(data_set, reader).order_by("-timestamp", "-record_id")
    is_filtered = False
    if form.is_bound:
        if not form.is_valid():
            return RecordsPage(records=[], after="", is_filtered=True)
        asked = form.cleaned_data
        is_filtered = any(asked.values())
        wanted = {
            "timestamp__gte": asked["start_at"],
            "timestamp__lt": asked["end_at"],
            "record_id": None if "\0" in asked["record_id"] else asked["record_id"],
        }
        found = found.filter(**{lookup: value for lookup, value in wanted.items() if value})
        last = _read(data_set, form.data.get("after", ""))
        if last is not None:
            found = found.filter(keyset.below(moments.parse(last[0]), last[1], fields=("timestamp", "record_id")))
    try:
        with time_limit.limited():
            rows = list(found[: _PAGE + 1])
    except QueryTooLarge as error:
        if form.is_bound:
            form.add_error(None, str(error))
        return RecordsPage(records=[], after="", is_filtered=is_filtered)
    after = _write(data_set, rows[_PAGE - 1]) if len(rows) > _PAGE else ""
    records = [_row(data_set, record, names) for record in rows[:_PAGE]]
    return RecordsPage(records=records, after=after, is_filtered=is_filtered)


def one(data_set: DataSet, record_id: str, reader: Reader) -> WholeRecord | None:
    record = selected.readable(data_set, reader).filter(record_id=record_id).select_related("token").first()
    if record is None:
        return None
    return WholeRecord(
        record_id=record.record_id,
        text=as_json(RecordValue.of(record)),
        updated_at=moments.write(record.updated_at),
        token=str(record.token or "–"),
        request_id=str(record.request_id or "–"),
    )


def id_at(data_set: DataSet, place: str) -> str | None:
    """Return the `_id` of the record at a place that a page has given, or None for another text."""
    found = _read(data_set, place)
    return None if found is None else found[1]


def place(data_set: DataSet, timestamp: str, record_id: str) -> str:
    """Return the place of a record, which pages send back by POST."""
    return signing.dumps([data_set.pk, timestamp, record_id], salt=_SALT)


def _row(data_set: DataSet, record: Record, names: list[str]) -> RecordRow:
    fields = json.loads(record.body)
    return RecordRow(
        place=_write(data_set, record),
        timestamp=moments.write(record.timestamp),
        record_id=Truncator(record.record_id).chars(_SHOWN),
        cells=[_cell(fields[name]) if name in fields else "" for name in names],
    )


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Truncator(text).chars(_SHOWN)


def _write(data_set: DataSet, record: Record) -> str:
    return place(data_set, moments.write(record.timestamp), record.record_id)


def _read(data_set: DataSet, sent: str) -> tuple[str, str] | None:
    try:
        data_set_id, timestamp, record_id = signing.loads(sent, salt=_SALT)
    except signing.BadSignature:
        return None
    return (timestamp, record_id) if data_set_id == data_set.pk else None
