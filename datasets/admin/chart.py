"""The chart of a data set: the form, the query and the values. Source: docs/reference/console.md §3.16."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.safestring import SafeString

from config import formats
from config.console.theme import NumberInput, Select
from config.databases import replica
from datasets.admin import chart_finding, examples
from datasets.admin.chart_finding import OTHER, ChartSeries
from datasets.charts import dates, words
from datasets.charts.data import ChartData, Kind, Series
from datasets.charts.drawing import both_sizes
from datasets.errors import BeingBuilt, Busy, InvalidQuery, QueryTooLarge
from datasets.models import DataSet
from datasets.queries import engines, escaping, export, local_time, parameters, periods, time_limit
from datasets.queries.methods import NUMERIC
from datasets.queries.query import PERIODS
from datasets.queries.readers import Reader
from datasets.records import moments
from datasets.store import fields_seen

_ZONE = settings.TIME_ZONE
_MOST_POINTS = 2_000
_SERIES = 8
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
    kind = forms.ChoiceField(
        label="Chart type", choices=[("bars", "Bars"), ("lines", "Lines")], initial="bars", widget=Select
    )

    def __init__(self, *args: Any, data_set: DataSet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        seen = fields_seen.current(data_set)
        numbers = [field.name for field in seen if "number" in field.types]
        measures = [
            (f"{escaping.escape(name)}:{method}", f"{method} of {name}") for name in numbers for method in NUMERIC
        ]
        self.fields["measure"].choices = [("", "Number of records"), *measures]  # type: ignore[attr-defined]
        self.fields["measure"].required = False
        plain = [field.name for field in seen if {"text", "number", "boolean"} & set(field.types)]
        self.fields["split"].choices = [("", "Not split"), *((name, name) for name in plain)]  # type: ignore[attr-defined]

        if not self.is_bound:  # a first choice is data too, because only a form with data can have errors
            first = {name: field.initial for name, field in self.fields.items()}
            self.data = first | chart_finding.first_choice(data_set, seen, timezone.now(), _SERIES)
            self.is_bound = True

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
    """A drawn chart, its API call, and its series: a name and one value for each period.

    finding: what the values say, in sentences; labels: of the periods
    """

    title: str
    finding: list[str]
    labels: list[str]
    command: str
    query: str
    starts: list[str]
    series: list[ChartSeries]
    svg: SafeString
    is_empty: bool
    without_other: bool

    def table(self) -> list[tuple[str, list[Any]]]:
        return list(zip(self.labels, self._values(), strict=True))

    def csv(self) -> Iterator[str]:
        header = [_FROM, *(name for name, _ in self.series)]
        rows = zip(self.starts, self._values(), strict=True)
        return export.table(header, [[start, *values] for start, values in rows])

    def _values(self) -> list[list[Any]]:
        return [[values[row] for _, values in self.series] for row in range(len(self.starts))]


def draw(data_set: DataSet, form: ChartForm, reader: Reader) -> Chart | None:
    """Return the chart, with default values for an empty form, or None after adding an error to the form."""
    if not form.is_valid():
        return None
    asked = form.cleaned_data
    now = timezone.now()
    pairs = [("period", asked["period"]), ("duration", str(asked["last"])), ("end_at", _end(now, asked["period"]))]
    pairs += [("time_zone", _ZONE)] if _ZONE != "UTC" else []
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
    drawn = _drawn(title, starts, series, asked)
    is_empty = not any(value for _, values in series for value in values)
    return Chart(
        title=title,
        command=examples.query(data_set, query_string),
        query=urlencode([*asked.items(), ("format", "csv")]),
        starts=starts,
        series=series,
        svg=both_sizes(drawn, key="chart"),
        finding=[] if is_empty else _finding(key, asked, series),
        labels=[label.full for label in dates.labels(drawn, words.of("en"))],
        is_empty=is_empty,
        without_other=without_other,
    )


def _drawn(title: str, starts: list[str], series: list[ChartSeries], asked: dict[str, Any]) -> ChartData:
    periods = formats.counted(len(starts), "period")
    return ChartData(
        kind=_kind(asked["kind"], series),
        title=title,
        description=f"{periods}, {len(series)} series; the table below has all values.",
        labels=starts,
        period=asked["period"],
        time_zone=_ZONE,
        series=[Series(name, values, is_other=name == OTHER) for name, values in series],
    )


def _finding(key: str, asked: dict[str, Any], series: list[ChartSeries]) -> list[str]:
    """Return sentences about values that add up, or about a chart with one series."""
    measure = "" if key == "_count" else f"{key.rpartition(':')[2]} of {key.rpartition(':')[0]}"
    adds_up = _adds_up(key)
    found: list[str] = (
        [chart_finding.largest_part(measure, asked["split"], series)] if asked["split"] and adds_up else []
    )
    if adds_up or not asked["split"]:
        by_period = [[value for value in row if value is not None] for row in zip(*dict(series).values(), strict=True)]
        found.append(chart_finding.last_change(measure, asked["period"], [sum(v) if v else None for v in by_period]))
    return [sentence for sentence in found if sentence]


def _end(now: datetime, period: str) -> str:
    """Return the end of the current period in the time zone of the console, or for hours a moment in the next one."""
    if period == "hour":
        return moments.write((now + timedelta(hours=1)).replace(microsecond=0))
    end = periods.next_start(local_time.local(now, _ZONE), period)
    return moments.write(local_time.instant(end, _ZONE))


def _kind(asked: str, series: list[ChartSeries]) -> Kind:
    """Return the kind of the chart. Bars are stacked unless a value is negative."""
    if asked == "lines":
        return "line"
    return "bar" if any((value or 0) < 0 for _, values in series for value in values) else "stacked_bar"


def _series(rows: list[dict[str, Any]], key: str, split: str) -> tuple[list[ChartSeries], bool]:
    """Return the eight largest series and one for the others, and whether the others could not be combined.

    rows: flat, by period, with every group in each period
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(json.dumps(row[split]), []).append(row)
    by_size = sorted(found.values(), key=lambda group: -sum(row["_count"] for row in group))
    names = _distinct([group[0][split] for group in by_size[:_SERIES]])
    shown: list[ChartSeries] = [
        (name, [row[key] for row in group]) for name, group in zip(names, by_size, strict=False)
    ]
    rest = by_size[_SERIES:]
    if rest and _adds_up(key):
        columns = zip(*([row[key] or 0 for row in group] for group in rest), strict=True)
        shown.append((OTHER, [sum(column) for column in columns]))
    return shown, bool(rest) and not _adds_up(key)


def _distinct(values: list[Any]) -> list[str]:
    """Return a name for each value. Texts that equal another name are quoted.

    >>> _distinct(["web", "1", 1, "other", None])
    ['web', '"1"', '1', '"other"', 'null']
    """
    names = [value if isinstance(value, str) else json.dumps(value) for value in values]
    taken = Counter([*names, OTHER, _FROM])
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
