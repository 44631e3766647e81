"""Place the parts of a chart: heading, legend, axes, marks, and an area for the values of each place.

Source: docs/reference/charts.md §2, §3.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from datasets.charts import axes, marks, numbers, texts, words
from datasets.charts.colours import TARGET
from datasets.charts.data import ChartData, Series, plotted
from datasets.charts.dates import PlaceLabel, labels
from datasets.charts.marks import Plot
from datasets.charts.scale import Scale, covering
from datasets.charts.selection import drawn_series
from datasets.charts.words import ChartWords

_LEGEND_LINE = 22.0
_LEGEND_KEY = 34.0
_MOST_LEGEND_NAME = 260.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Width and height in units of the SVG. The height grows with the heading and the legend."""

    width: float
    height: float
    font_size: float

    @classmethod
    def of(cls, name: str) -> "Size":
        wide = cls(width=960, height=320, font_size=14)
        return cls(width=400, height=270, font_size=14) if name == "narrow" else wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The parts of an SVG in their order. has_ground: the SVG is opaque"""

    width: float
    height: float
    font_size: float
    description: str
    parts: Sequence[str]
    has_ground: bool


def laid_out(chart: ChartData, size: Size, *, has_heading: bool) -> Drawn:
    wording = words.of(chart.language)
    series, places = drawn_series(chart, wording), labels(chart, wording)
    scale = _scale(chart, series)
    top, heading = _heading(chart, size) if has_heading else (6.0, [])
    legend_height, legend = _legend(chart, series, size, top)
    top += legend_height + size.font_size / 2
    ticks = numbers.tick_texts(scale, chart)
    unit = numbers.axis_unit(chart)
    if unit:
        legend = [*legend, axes.text(4, top + size.font_size * 0.3, unit)]
        top += size.font_size * 1.25
    left = max(texts.width(text, size.font_size) for text in ticks) + 10
    bottom = axes.height(places, size.font_size)
    plot_height = size.height - size.font_size - bottom
    plot = Plot(left=left, top=top, width=size.width - left - 8, height=plot_height, places=len(places), scale=scale)
    parts = [*heading, *legend, *axes.values(plot, ticks, size.font_size)]
    if any(plotted(value) is not None for one in series for value in one.values):
        draw = {"line": marks.lines, "bar": marks.bars, "stacked_bar": marks.stacked_bars}[chart.kind]
        parts += [*axes.places(plot, places, chart.period, size.font_size), *draw(series, plot)]
        parts += [axes.zero(plot), *_target(chart, series, plot, size, wording)]
        parts += [*_values(chart, series, places, plot, wording)]
    else:
        parts.append(
            axes.text(plot.x((plot.places - 1) / 2), top + plot_height / 2, wording.no_values, anchor="middle")
        )
    return Drawn(
        width=size.width,
        height=round(top + plot_height + bottom),
        font_size=size.font_size,
        description=_description(chart, series, places, scale, wording),
        parts=parts,
        has_ground=has_heading,
    )


def _scale(chart: ChartData, series: Sequence[Series]) -> Scale:
    found = [plotted(value) for one in series for value in one.values]
    numbers_found = [value for value in found if value is not None]
    is_whole = all(isinstance(value, int) for one in series for value in one.values if value is not None)
    target = plotted(chart.target)
    if chart.kind == "stacked_bar":
        for is_comparison in (False, True):
            group = [
                [plotted(value) or 0 for value in one.values] for one in series if one.is_comparison is is_comparison
            ]
            for place in zip(*group, strict=True):
                numbers_found += [sum(v for v in place if v > 0), sum(v for v in place if v < 0)]
    covered = [*numbers_found, *([target] if target is not None else [])]
    return covering(covered, from_zero=chart.kind != "line", is_whole=is_whole and not chart.is_percent)


def _heading(chart: ChartData, size: Size) -> tuple[float, list[str]]:
    """Return the height of the heading and its lines."""
    font_size = size.font_size * 1.25
    rows = texts.lines(chart.title, size.width - 8, font_size * 1.06, count=2)  # bold texts are wider
    parts = [
        f'<text class="chart-heading" fill="{TARGET}" font-size="{font_size:g}" font-weight="bold" x="4" '
        f'y="{marks.number(font_size * (1 + row * 1.25))}">{texts.escape(line)}</text>'
        for row, line in enumerate(rows)
    ]
    return 8 + font_size * 1.25 * len(rows), parts


def _legend(chart: ChartData, series: Sequence[Series], size: Size, top: float) -> tuple[float, list[str]]:
    """Return the height of the legend and its parts. One series needs none: the title names it."""
    if len(series) < 2:
        return 0.0, []
    is_line, parts, x, line = chart.kind == "line", [], 4.0, 0
    for row, one in enumerate(series):
        most = min(_MOST_LEGEND_NAME, size.width - _LEGEND_KEY - 24)
        name = texts.fitted(one.name, most, size.font_size)
        wide = _LEGEND_KEY - (0 if is_line else 14) + texts.width(name, size.font_size) + 12
        if x > 4 and x + wide > size.width:
            x, line = 4.0, line + 1
        y = top + line * _LEGEND_LINE + _LEGEND_LINE / 2
        parts.append(marks.key(one, marks.colour(series, row), x, y, is_line=is_line))
        parts.append(axes.text(x + (34 if is_line else 20), y + size.font_size * 0.36, name))
        x += wide
    return (line + 1) * _LEGEND_LINE + 4, parts


def _target(chart: ChartData, series: Sequence[Series], plot: Plot, size: Size, wording: ChartWords) -> list[str]:
    """Return the line of the target, and its label where it covers least of the lines of values."""
    target = plotted(chart.target)
    if target is None:
        return []
    y = marks.number(plot.y(target))
    name = f"{chart.target_label or wording.target}: {numbers.value(chart.target, chart, missing='')}"
    name = texts.fitted(name, plot.width - 8, size.font_size)
    wide, high = texts.width(name, size.font_size), size.font_size
    rights = [plot.left + plot.width - 4, plot.left + 4 + wide]
    above, below = plot.y(target) - 6, plot.y(target) + high + 4
    bottoms = [one for one in (above, below) if plot.top < one < plot.top + plot.height] or [above]
    points = marks.points(series, plot) if chart.kind == "line" else []

    def covered(place: tuple[float, float]) -> int:
        right, bottom = place
        return sum(right - wide < x < right and bottom - high < y < bottom + 4 for x, y in points)

    right, bottom = min(((right, bottom) for right in rights for bottom in bottoms), key=covered)
    line = (
        f'<path class="chart-target" stroke="{TARGET}" stroke-width="1.5" stroke-dasharray="6 4" fill="none" '
        f'd="M{marks.number(plot.left)} {y}H{marks.number(plot.left + plot.width)}"/>'
    )
    label = axes.text(right, bottom, name, anchor="end", css_class="chart-text chart-halo")
    return [line, label]


def _values(
    chart: ChartData, series: Sequence[Series], places: Sequence[PlaceLabel], plot: Plot, wording: ChartWords
) -> list[str]:
    """Return an invisible area for each place. Its title holds the values; charts.js shows them."""
    parts = []
    cut_names = [texts.cut(one.name, 100) for one in series]
    edges = f'y="{marks.number(plot.top)}" height="{marks.number(plot.height)}"'
    for row, place in enumerate(places):
        values = [numbers.value(one.values[row], chart, missing=wording.missing) for one in series]
        if len(series) == 1:
            about = f"{texts.cut(place.full, 200)}: {values[0]}"
        else:
            named = (f"{name}: {value}" for name, value in zip(cut_names, values, strict=True))
            about = "\n".join([texts.cut(place.full, 200), *named])
        x = f'x="{marks.number(plot.left + row * plot.step)}" width="{marks.number(plot.step)}"'
        parts.append(f"<rect {x} {edges}><title>{texts.escape(about)}</title></rect>")
    return ['<g class="chart-values" fill="none" pointer-events="all">', *parts, "</g>"]


def _description(
    chart: ChartData, series: Sequence[Series], places: Sequence[PlaceLabel], scale: Scale, wording: ChartWords
) -> str:
    """Return the description of the chart, or one made of its range and values."""
    found = [value for one in series for value in one.values if plotted(value) is not None]
    starts_at = ""
    if scale.low > 0:
        starts_at = wording.starts_at.format(low=numbers.value(scale.low, chart, missing=""))
    if chart.description or not found or not places:
        return " ".join(filter(None, [chart.description or wording.no_values, starts_at]))
    low, high = (numbers.value(end(v for v in found if v is not None), chart, missing="") for end in (min, max))
    first, last = texts.cut(places[0].full, 100), texts.cut(places[-1].full, 100)
    return f"{wording.described.format(first=first, last=last, low=low, high=high)} {starts_at}".strip()
