"""The list of a data set's records: filters, order, columns and pages. Source: docs/reference/console.md §2.15."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.models import User
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from config import formats
from config.console import cells
from config.console.theme import TextInput
from config.databases import replica
from datasets.admin import examples, records
from datasets.errors import DataSetError
from datasets.models import ChosenColumns, DataSet, FieldSeen
from datasets.queries import engines, escaping, parameters, time_limit
from datasets.queries.readers import Reader
from datasets.queries.selected import Row
from datasets.records import moments
from datasets.store import fields_seen

_PAGE = 50
_SHOWN = 80  # characters of a cell
_AT_FIRST = 6  # columns until a person chooses some
_BOUNDS = parameters.Bounds(default_limit=_PAGE, max_limit=_PAGE)
_NEWEST_FIRST = "_timestamp:descending"
OWN = {"_timestamp": "Time", "_id": "ID"}  # in the words of pages
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class RecordsForm(forms.Form):
    """The range of time and the id. They are sent by POST, because an `_id` may be personal data."""

    _invalid = {"invalid": "Enter a date and a time, such as 2024-01-31 09:30."}
    _moment = TextInput(attrs={"type": "datetime-local"})
    start_at = forms.DateTimeField(label="From", required=False, widget=_moment, error_messages=_invalid)
    end_at = forms.DateTimeField(label="Before", required=False, widget=_moment, error_messages=_invalid)
    record_id = forms.CharField(
        label="ID",
        required=False,
        strip=False,
        widget=TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        start, end = cleaned.get("start_at"), cleaned.get("end_at")
        if start and end and end <= start:
            self.add_error("end_at", "Enter a later time than in “From”.")
        return cleaned


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordColumn:
    """A heading. order: "ascending", "descending" or "" if the list has another order; next_order: of its button"""

    name: str
    order: str
    is_number: bool = False

    @property
    def title(self) -> str:
        return OWN.get(self.name, self.name)

    @property
    def next_order(self) -> str:
        return f"{escaping.escape(self.name)}:{'descending' if self.order == 'ascending' else 'ascending'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value as text. filter: `field:value` as the API takes it, or "" for a value that is no filter"""

    text: str
    filter: str = ""
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLine:
    place: str
    time: SafeString | str
    record_id: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueFilter:
    """A field and its value. given: both as the API takes them"""

    given: str
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordList:
    """Up to fifty records. cursor: of the next page, or ""; command: the same by API"""

    lines: list[RecordLine]
    columns: list[RecordColumn]
    filters: list[ValueFilter]
    sort_by: str
    cursor: str
    is_filtered: bool
    command: str


def offered(data_set: DataSet, chosen: list[str]) -> list[str]:
    seen = FieldSeen.objects.filter(data_set=data_set).values_list("name", flat=True)
    return list(dict.fromkeys([*chosen, *seen]))


def chosen_fields(data_set: DataSet, user: User | None, form: RecordsForm) -> list[str]:
    """Return the fields that the person sees as columns. Store a new choice."""
    seen = [field.name for field in fields_seen.current(data_set)]
    if "choose" in form.data and user is not None:
        names = [name for name in _given(form, "columns") if name in seen]
        ChosenColumns.objects.update_or_create(user=user, data_set=data_set, defaults={"names": names})
    kept = ChosenColumns.objects.filter(user=user, data_set=data_set).values_list("names", flat=True).first()
    return [name for name in kept if name in seen] if kept else seen[:_AT_FIRST]


def found(data_set: DataSet, form: RecordsForm, names: list[str], reader: Reader) -> RecordList:
    """Return one page, with the reason in the form if it cannot be read."""
    filters = [one for one in dict.fromkeys(_given(form, "filter")) if one != form.data.get("without")]
    sort_by = form.data.get("sort_by") or _NEWEST_FIRST
    rows: list[Row] = []
    cursor, asked = "", ""
    if form.is_valid():
        asked = urlencode(_parameters(form, filters, sort_by))
        try:
            rows, cursor = _page(data_set, asked, form.data.get("cursor", ""), reader)
        except DataSetError as error:  # its text contains what to do
            form.add_error(None, str(error))
    fields = [row.fields() for row in rows]
    numbers = {name for name in names if any(_is_number(one.get(name)) for one in fields)}
    sorted_by, _, order = sort_by.rpartition(":")
    return RecordList(
        lines=[_line(data_set, row, body, names) for row, body in zip(rows, fields, strict=True)],
        columns=[
            RecordColumn(
                name=name, order=order if escaping.escape(name) == sorted_by else "", is_number=name in numbers
            )
            for name in [*OWN, *names]
        ],
        filters=[
            ValueFilter(given=one, name=name, value=value or "") for one in filters for name, value in [_split(one)]
        ],
        sort_by=sort_by,
        cursor=cursor,
        is_filtered=bool(filters) or any(form.data.get(name) for name in form.fields),
        command=examples.query(data_set, asked),
    )


def _given(form: RecordsForm, name: str) -> list[str]:
    values: list[str] = form.data.getlist(name)  # type: ignore[attr-defined]  # a QueryDict
    return values


def _parameters(form: RecordsForm, filters: list[str], sort_by: str) -> list[tuple[str, str]]:
    """Return the parameters of the API for these filters. The API takes no range with one end only."""
    asked = form.cleaned_data
    start, end = asked.get("start_at"), asked.get("end_at")
    pairs = [("filter_by", one) for one in filters]
    if asked.get("record_id"):
        pairs.append(("filter_by", f"_id:{asked['record_id']}"))
    if start or end:
        pairs += [("start_at", _written(start or _FIRST)), ("end_at", _written(end or _LAST))]
    return [*pairs, ("sort_by", sort_by)]


def _written(at: datetime) -> str:
    return moments.write(at.astimezone(UTC))


def _page(data_set: DataSet, asked: str, cursor: str, reader: Reader) -> tuple[list[Row], str]:
    position = f"&{urlencode({'cursor': cursor})}" if cursor else ""
    query = parameters.parse(asked + position, data_set_id=data_set.pk, bounds=_BOUNDS, reader=reader)
    with replica.reads(), time_limit.limited():
        page = engines.page(data_set, query)
        return list(page.rows), page.next_cursor or ""


def _line(data_set: DataSet, row: Row, fields: dict[str, Any], names: list[str]) -> RecordLine:
    return RecordLine(
        place=records.place(data_set, row.record_id),
        time=cells.moment(moments.parse(row.timestamp)),
        record_id=Truncator(row.record_id).chars(_SHOWN),
        cells=[_cell(name, fields[name]) if name in fields else Cell(text="") for name in names],
    )


def _cell(name: str, value: Any) -> Cell:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    is_filter = isinstance(value, str | int | float) and len(text) <= _SHOWN
    return Cell(
        text=formats.of_field(name, value) if _is_number(value) else Truncator(text).chars(_SHOWN),
        filter=f"{escaping.escape(name)}:{text}" if is_filter else "",
        is_number=_is_number(value),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _split(given: str) -> tuple[str, str | None]:
    name, value = escaping.split(given)
    return OWN.get(name, name), value
