"""A chart of one data set: what is asked, and the figures. Source: Staff console §3.16."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone
from django.utils.safestring import SafeString

from config.console.theme import NumberInput, Select
from datasets.admin import chart_svg, examples
from datasets.errors import QueryRefused
from datasets.models import DataSet, FieldSeen
from datasets.queries import export, groups, parameters
from datasets.queries.query import METHODS, PERIODS

_MOST_POINTS = 2_000  # Staff console §3.16
_SERIES = 8
_OTHER = "other"
_ADD_UP = ("sum", "count")  # what the series that are not drawn can be put together by
_BOUNDS = parameters.Bounds(default_limit=1_000, max_limit=10_000)


class ChartForm(forms.Form):
    """Period, measure and split. It is a GET: it holds names of fields and nothing of a record."""

    period = forms.ChoiceField(choices=[(word, word.capitalize()) for word in PERIODS], initial="day", widget=Select)
    last = forms.IntegerField(
        label="How many", min_value=1, max_value=_MOST_POINTS, initial=30, widget=NumberInput, help_text="Up to now."
    )
    measure = forms.ChoiceField(widget=Select)
    split = forms.ChoiceField(required=False, widget=Select)
    kind = forms.ChoiceField(label="Drawn as", choices=[("bars", "Bars"), ("lines", "Lines")], widget=Select)

    def __init__(self, *args: Any, data_set: DataSet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        seen = FieldSeen.objects.filter(data_set=data_set)
        numbers = [field.name for field in seen if "number" in field.types]
        methods = [method for method in METHODS if method not in {"set", "count"}]
        figures = [(f"{name}:{method}", f"{method} of {name}") for name in numbers for method in methods]
        self.fields["measure"].choices = [("", "Number of records"), *figures]  # type: ignore[attr-defined]
        self.fields["measure"].required = False
        plain = [field.name for field in seen if {"text", "number", "boolean"} & set(field.types)]
        self.fields["split"].choices = [("", "Not split"), *((name, name) for name in plain)]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        lines = _SERIES + 1 if cleaned.get("split") else 1
        if cleaned.get("last") and cleaned["last"] * lines > _MOST_POINTS:
            self.add_error(
                "last", f"A chart has at most 2 000 points: with this split, {_MOST_POINTS // lines} periods."
            )
        return cleaned


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What was asked, as the API's question too, and the figures: a name and a value for each period of each series."""

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

    def csv(self) -> str:
        rows = [
            {"_start_at": start, **{name: values[row] for name, values in self.series}}
            for row, start in enumerate(self.starts)
        ]
        return "".join(export.csv(export.names_of(rows), rows))


def draw(data_set: DataSet, form: ChartForm) -> Chart | None:
    """Return the chart of a form, of its first values where nothing was asked; None where the form says why not."""
    asked = _asked(form)
    if asked is None:
        return None
    pairs = [("period", asked["period"]), ("duration", str(asked["last"]))]
    pairs += [("collect", asked["measure"])] if asked["measure"] else []
    pairs += [("group_by", asked["split"])] if asked["split"] else []
    question = urlencode(pairs)
    try:
        query = parameters.parse(question, data_set_id=data_set.pk, bounds=_BOUNDS)
        rows = groups.rows(data_set.pk, query, now=timezone.now(), max_rows=settings.DATASETS_MAX_ROWS)
    except QueryRefused as error:
        form.add_error(None, f"{error} Choose fewer periods, or another split.")
        return None
    except OperationalError:  # the time-out of a statement
        form.add_error(None, "This took too long. Choose fewer periods.")
        return None
    key = asked["measure"] or "_count"
    without_other = bool(asked["split"]) and len(rows) > _SERIES and not _adds_up(key)
    series = _series(rows, key, asked["split"]) if asked["split"] else [(_name(key), [row[key] for row in rows])]
    in_time = rows if not asked["split"] else rows[0]["values"] if rows else []
    starts = [row["_start_at"] for row in in_time]
    title = f"{_name(key)} by {asked['period']}" + (f" and {asked['split']}" if asked["split"] else "")
    token = "" if data_set.public else ' -H "Authorization: Bearer $DATA_TOKEN"'
    return Chart(
        title=title,
        command=f'curl -sS "{examples.address(data_set)}?{question}"{token}',
        query=urlencode([*asked.items(), ("format", "csv")]),
        starts=starts,
        series=series,
        svg=chart_svg.draw(title, starts, series, kind=asked["kind"]),
        is_empty=not any(value for _, values in series for value in values),
        without_other=without_other,
    )


def _asked(form: ChartForm) -> dict[str, Any] | None:
    if form.is_bound:
        return form.cleaned_data if form.is_valid() else None
    return {"period": "day", "last": 30, "measure": "", "split": "", "kind": "bars"}


def _series(rows: list[dict[str, Any]], key: str, split: str) -> list[tuple[str, list[Any]]]:
    """Return the eight with most records, and what the others come to where that can be added up."""
    by_size = sorted(rows, key=lambda row: -row["_count"])
    shown = [(_word(row[split]), [period[key] for period in row["values"]]) for row in by_size[:_SERIES]]
    rest = by_size[_SERIES:]
    if rest and _adds_up(key):
        columns = zip(*([period[key] or 0 for period in row["values"]] for row in rest), strict=True)
        shown.append((_OTHER, [sum(column) for column in columns]))
    return shown


def _adds_up(key: str) -> bool:
    return key == "_count" or key.endswith(tuple(f":{method}" for method in _ADD_UP))


def _name(key: str) -> str:
    name, _, method = key.rpartition(":")
    return f"{method.capitalize()} of {name}" if name else "Number of records"


def _word(value: Any) -> str:
    return value if isinstance(value, str) else {None: "null", True: "true", False: "false"}.get(value, str(value))
