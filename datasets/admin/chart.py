"""The chart of a data set: the form, the query and the values. Source: docs/reference/console.md §3.16."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.safestring import SafeString

from config import formats
from config.console.theme import NumberInput, Select
from config.databases import replica
from datasets.admin import examples
from datasets.charts.data import ChartData, Kind, Series
from datasets.charts.drawing import both_sizes
from datasets.errors import BeingBuilt, Busy, InvalidQuery, QueryTooLarge
from datasets.models import DataSet, FieldSeen
from datasets.queries import engines, escaping, export, parameters, periods, time_limit
from datasets.queries.methods import NUMERIC
from datasets.queries.query import PERIODS
from datasets.queries.readers import Reader
from datasets.records import moments

_MOST_POINTS = 2_000
_SERIES = 8
_OTHER = "other"
_FROM = "_start_at"  # the first column of the CSV
_ADD_UP = ("sum", "count")  # methods by which the other series can be combined
_BOUNDS = parameters.Bounds(default_limit=1_000, max_limit=10_000)


class ChartForm(forms.Form):
    """Period, measure and split. It is sent by GET, because it holds field names only."""

    period = forms.ChoiceField(choices=[(word, word.capitalize()) for word in PERIODS], initial="day", widget=Select)
    last = forms.IntegerField(
        label="Number of periods",
        min_value=1,
        max_value=_MOST_POINTS,
        initial=30,
        widget=NumberInput,
        help_text="The last period is the current one.",
    )
    measure = forms.ChoiceField(widget=Select)
    split = forms.ChoiceField(required=False, widget=Select)
    kind = forms.ChoiceField(label="Chart type", choices=[("bars", "Bars"), ("lines", "Lines")], widget=Select)

    def __init__(self, *args: Any, data_set: DataSet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        seen = FieldSeen.objects.filter(data_set=data_set)
        numbers = [field.name for field in seen if "number" in field.types]
        measures = [
            (f"{escaping.escape(name)}:{method}", f"{method} of {name}") for name in numbers for method in NUMERIC
        ]
        self.fields["measure"].choices = [("", "Number of records"), *measures]  # type: ignore[attr-defined]
        self.fields["measure"].required = False
        plain = [field.name for field in seen if {"text", "number", "boolean"} & set(field.types)]
        self.fields["split"].choices = [("", "Not split"), *((name, name) for name in plain)]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        lines = _SERIES + 1 if cleaned.get("split") else 1
        if cleaned.get("last") and cleaned["last"] * lines > _MOST_POINTS:
            self.add_error(
                "last", f"A chart has at most 2,000 points: with this split, {_MOST_POINTS // lines} periods."
            )
        return cleaned


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawn chart, its API call, and its series: a name and one value for each period."""

    title: str
    command: str
    query: str
    starts: list[str]
    series: list[tuple[str, list[Any]]]
    svg: SafeString
    is_empty: bool
    without_other: bool

    def table(self) -> list[tuple[str, list[Any]]]:
        return [(start, [values[row] for _, values in self.series]) for row, start in enumerate(self.starts)]

    def csv(self) -> Iterator[str]:
        header = [_FROM, *(name for name, _ in self.series)]
        return export.table(header, [[start, *values] for start, values in self.table()])


def draw(data_set: DataSet, form: ChartForm, reader: Reader) -> Chart | None:
    """Return the chart, with default values for an empty form, or None after adding an error to the form."""
    asked = _asked(form)
    if asked is None:
        return None
    now = timezone.now()
    end = moments.write(periods.next_start(now, asked["period"]))
    pairs = [("period", asked["period"]), ("duration", str(asked["last"])), ("end_at", end)]
    pairs += [("collect", asked["measure"])] if asked["measure"] else []
    # Flat rows, because a field named `values` would collide otherwise.
    pairs += [("group_by", escaping.escape(asked["split"])), ("flatten", "true")] if asked["split"] else []
    query_string = urlencode(pairs)
    try:
        query = parameters.parse(query_string, data_set_id=data_set.pk, bounds=_BOUNDS, reader=reader)
        with replica.reads(), time_limit.limited():
            rows = engines.grouped(data_set, query, now=now, max_rows=settings.DATASETS_MAX_ROWS)
    except (QueryTooLarge, BeingBuilt, Busy) as error:  # its text contains what to do
        form.add_error(None, str(error))
        return None
    except InvalidQuery as error:
        form.add_error(None, f"{error} Choose fewer periods, or another split.")
        return None
    key = _key(asked["measure"])
    starts = sorted({row[_FROM] for row in rows})
    if asked["split"]:
        series, without_other = _series(rows, key, asked["split"])
    else:
        series, without_other = [(_name(key), [row[key] for row in rows])], False
    title = f"{_name(key)} by {asked['period']}" + (f" and {asked['split']}" if asked["split"] else "")
    return Chart(
        title=title,
        command=examples.query(data_set, query_string),
        query=urlencode([*asked.items(), ("format", "csv")]),
        starts=starts,
        series=series,
        svg=_drawn(title, starts, series, asked),
        is_empty=not any(value for _, values in series for value in values),
        without_other=without_other,
    )


def _drawn(title: str, starts: list[str], series: list[tuple[str, list[Any]]], asked: dict[str, Any]) -> SafeString:
    periods = formats.counted(len(starts), "period")
    chart = ChartData(
        kind=_kind(asked["kind"], series),
        title=title,
        description=f"{periods}, {len(series)} series; the table below has all values.",
        labels=starts,
        period=asked["period"],
        series=[Series(name, values, is_other=name == _OTHER) for name, values in series],
    )
    return both_sizes(chart, key="chart")


def _kind(asked: str, series: list[tuple[str, list[Any]]]) -> Kind:
    """Return the kind of the chart. Bars are stacked unless a value is negative."""
    if asked == "lines":
        return "line"
    return "bar" if any((value or 0) < 0 for _, values in series for value in values) else "stacked_bar"


def _asked(form: ChartForm) -> dict[str, Any] | None:
    if form.is_bound:
        return form.cleaned_data if form.is_valid() else None
    return {"period": "day", "last": 30, "measure": "", "split": "", "kind": "bars"}


def _series(rows: list[dict[str, Any]], key: str, split: str) -> tuple[list[tuple[str, list[Any]]], bool]:
    """Return the eight largest series and one for the others, and whether the others could not be combined.

    rows: flat, by period, with every group in each period
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(json.dumps(row[split]), []).append(row)
    by_size = sorted(found.values(), key=lambda group: -sum(row["_count"] for row in group))
    names = _distinct([group[0][split] for group in by_size[:_SERIES]])
    shown = [(name, [row[key] for row in group]) for name, group in zip(names, by_size, strict=False)]
    rest = by_size[_SERIES:]
    if rest and _adds_up(key):
        columns = zip(*([row[key] or 0 for row in group] for group in rest), strict=True)
        shown.append((_OTHER, [sum(column) for column in columns]))
    return shown, bool(rest) and not _adds_up(key)


def _distinct(values: list[Any]) -> list[str]:
    """Return a name for each value. Texts that equal another name are quoted.

    >>> _distinct(["web", "1", 1, "other", None])
    ['web', '"1"', '1', '"other"', 'null']
    """
    names = [value if isinstance(value, str) else json.dumps(value) for value in values]
    taken = Counter([*names, _OTHER, _FROM])
    pairs = zip(names, values, strict=True)
    return [
        json.dumps(name, ensure_ascii=False) if taken[name] > 1 and name is value else name for name, value in pairs
    ]


def _adds_up(key: str) -> bool:
    return key == "_count" or key.endswith(tuple(f":{method}" for method in _ADD_UP))


def _key(measure: str) -> str:
    """Return the key of the measure in a row."""
    name, method = escaping.split(measure)
    return f"{name}:{method}" if name else "_count"


def _name(key: str) -> str:
    name, _, method = key.rpartition(":")
    return f"{method.capitalize()} of {name}" if name else "Number of records"
