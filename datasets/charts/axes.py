"""The axes of a chart. Source: docs/reference/charts.md §2."""

from collections.abc import Sequence

from datasets.charts import texts
from datasets.charts.colours import GRID, TEXT
from datasets.charts.dates import PlaceLabel, shown
from datasets.charts.marks import Plot, number

_GAP = 14.0  # between two labels
_CATEGORY_LINES = 2
_MIN_CATEGORY = 44.0  # narrower texts cannot be recognised
_LINE = 1.25


def text(x: float, y: float, content: str, *, anchor: str = "", css_class: str = "chart-text") -> str:
    placed = f'class="{css_class}" fill="{TEXT}" x="{number(x)}" y="{number(y)}"'
    return (
        f"<text {placed}{f' text-anchor={chr(34)}{anchor}{chr(34)}' if anchor else ''}>{texts.escape(content)}</text>"
    )


def height(places: Sequence[PlaceLabel], font_size: float) -> float:
    """Return the height of the labels below the plot."""
    return font_size * _LINE * 2 + 8 if places else 8


def values(plot: Plot, ticks: Sequence[str], font_size: float) -> list[str]:
    """Return a line across the plot and a text for each round number."""
    right = number(plot.left + plot.width)
    lines = "".join(f"M{number(plot.left)} {number(plot.y(tick))}H{right}" for tick in plot.scale.ticks)
    grid = f'<path class="chart-grid" stroke="{GRID}" fill="none" d="{lines}"/>'
    named = zip(plot.scale.ticks, ticks, strict=True)
    return [
        grid,
        *(text(plot.left - 8, plot.y(tick) + font_size * 0.36, name, anchor="end") for tick, name in named),
    ]


def zero(plot: Plot) -> str:
    """Return the line that bars stand on."""
    if not plot.scale.low <= 0 <= plot.scale.high:
        return ""
    across = f"M{number(plot.left)} {number(plot.y(0))}H{number(plot.left + plot.width)}"
    return f'<path class="chart-zero" stroke="{TEXT}" fill="none" d="{across}"/>'


def places(plot: Plot, found: Sequence[PlaceLabel], period: str | None, font_size: float) -> list[str]:
    """Return the labels of the x axis: as many as have room, and a second line where it changes."""
    first = plot.top + plot.height + font_size + 6
    if period is None:
        return _categories(plot, found, first, font_size)
    widest = max(texts.width(texts.cut(place.short, 40), font_size) for place in found)
    seconds = max(texts.width(place.second, font_size) for place in found)
    most = max(int(plot.width / (widest + _GAP)), 1)
    parts, second, free_from = [], "", 0.0
    for row in shown(found, period, most):
        place, x = found[row], plot.x(row)
        parts.append(_inside(plot, x, first, texts.fitted(place.short, plot.width, font_size), font_size))
        if place.second != second and x - seconds / 2 >= free_from:
            parts.append(_inside(plot, x, first + font_size * _LINE, place.second, font_size))
            second, free_from = place.second, x + seconds / 2 + _GAP
    return parts


def _categories(plot: Plot, found: Sequence[PlaceLabel], first: float, font_size: float) -> list[str]:
    every = max(-(-int(_MIN_CATEGORY) // max(int(plot.step), 1)), 1)
    room = plot.step * every - 6
    parts = []
    for row in range(0, len(found), every):
        for line, content in enumerate(texts.lines(found[row].short, room, font_size, count=_CATEGORY_LINES)):
            parts.append(_inside(plot, plot.x(row), first + line * font_size * _LINE, content, font_size))
    return parts


def _inside(plot: Plot, x: float, y: float, content: str, font_size: float) -> str:
    """Return a text around x that does not leave the SVG."""
    half = texts.width(content, font_size) / 2
    right = plot.left + plot.width + 8
    return text(max(min(x, right - half), half), y, content, anchor="middle")
