"""Draw the chart of a tile. Source: docs/reference/dashboards.md §2; docs/reference/charts.md."""

from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from datasets.charts import drawing
from datasets.charts.data import MAX_PLACES, MAX_POINTS, ChartData, Kind, Series
from datasets.dashboards.grid import Grid
from datasets.dashboards.wording import Unit
from datasets.models import ChartKind, Tile
from datasets.saved_queries.question import Question

_KINDS: dict[str, Kind] = {ChartKind.LINE: "line", ChartKind.BAR: "bar", ChartKind.STACKED_BAR: "stacked_bar"}
_BOX = "chart-figure chart-box"  # where charts.css shows the form that fits, and charts.js the values
_ADD_UP = ("sum", "count")  # methods by which the other series can be combined


def draw(tile: Tile, found: Grid, question: Question, unit: Unit, *, kind: str, title: str) -> SafeString:
    """Return the SVG of a chart, or an empty text without values, or with more than a chart can show.

    A tile of half the width has the narrow form only, which is half the size of both.
    """
    places, columns = len(found.places), len(found.columns)
    if found.is_empty or places > MAX_PLACES or places * columns > MAX_POINTS:
        return SafeString("")
    adds_up = question.divided_by is None and (not question.measure.field or question.measure.method in _ADD_UP)
    chart = ChartData(
        kind=_KINDS[kind],
        title=title,
        description="",
        labels=found.starts or found.places,
        series=[Series(one.name, one.values, is_comparison=one.is_comparison) for one in found.columns],
        unit=unit.unit,
        decimals=unit.decimals,
        is_percent=unit.is_percent,
        target=tile.target,
        target_label=gettext("Target") if tile.target is not None else "",
        language="cy" if get_language() == "cy" else "en",
        period=question.period or None,
        time_zone=question.time_zone or "UTC",
        may_add_up=adds_up,
    )
    key = f"chart-{tile.pk}"
    narrow = drawing.svg(chart, size="narrow", key=key)
    wide = drawing.svg(chart, size="wide", key=key) if tile.is_wide else ""
    return SafeString(f'<div class="{_BOX}{"" if tile.is_wide else " narrow-only"}">{wide}{narrow}</div>')
