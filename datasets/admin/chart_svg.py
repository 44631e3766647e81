"""Draw a chart as an inline SVG, without scripts or other hosts. Source: docs/reference/console.md §3.16.

Screen readers read the title and the description, and can use the table below the chart.
"""

import math
from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from config import formats

_WIDTH, _HEIGHT = 960, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 12, 34
_LABELS = 8  # maximum on the time axis
_NARROW_EVERY = 3  # narrow screens show every third label
_STEPS = 5  # approximate number on the value axis

Series = Sequence[tuple[str, Sequence[Any]]]


def draw(title: str, starts: Sequence[str], series: Series, *, kind: str) -> SafeString:
    """Return the SVG. series: a name and a value for each period, or None for no value."""
    if not starts or not series:
        return SafeString("")
    stacked = kind == "bars" and not any((value or 0) < 0 for _, values in series for value in values)
    tops = [sum(values[row] or 0 for _, values in series) for row in range(len(starts))] if stacked else []
    found = [float(value) for _, values in series for value in values if value is not None]
    ticks = _ticks(min([0.0, *found]), max([0.0, *found, *tops]))
    low, high = ticks[0], ticks[-1]

    def y(value: float) -> float:
        return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low), 1)

    step = (_WIDTH - _LEFT - _RIGHT) / len(starts)
    drawn = _bars(starts, series, step, y, stacked=stacked) if kind == "bars" else _lines(starts, series, step, y)
    periods = formats.counted(len(starts), "period")
    described = f"{periods} from {starts[0]}, {len(series)} series; the table below has all values."
    return format_html(
        '<svg class="ds-chart" viewBox="0 0 {} {}" role="img" aria-labelledby="chart-title chart-about">'
        '<title id="chart-title">{}</title><desc id="chart-about">{}</desc>{}{}{}</svg>',
        _WIDTH,
        _HEIGHT,
        title,
        described,
        _grid(ticks, y),
        _time_axis(starts, step),
        drawn,
    )


def _bars(starts: Sequence[str], series: Series, step: float, y: Any, *, stacked: bool) -> SafeString:
    width = max(step * 0.8, 0.5)
    parts = []
    for row, start in enumerate(starts):
        below = 0.0
        for number, (name, values) in enumerate(series):
            value = float(values[row] or 0)
            if not value:
                continue
            top, bottom = (below + value, below) if stacked else (max(value, 0), min(value, 0))
            left = _LEFT + row * step + (step - width) / 2
            across = width if stacked else width / len(series)
            left += 0 if stacked else number * across
            height = max(round(y(bottom) - y(top), 1), 0.5)
            parts.append((number, round(left, 1), y(top), round(across, 1), height, name, start, values[row]))
            below += value if stacked else 0
    shape = '<rect class="ds-fill-{}" x="{}" y="{}" width="{}" height="{}"><title>{}, {}: {}</title></rect>'
    return format_html_join("", shape, parts)


def _lines(starts: Sequence[str], series: Series, step: float, y: Any) -> SafeString:
    """Draw lines between neighbours, and a dot for a value between two gaps."""
    paths, dots = [], []
    for number, (name, values) in enumerate(series):
        path = []
        for row in range(len(starts)):
            if values[row] is None:
                continue
            x, has_before = round(_LEFT + (row + 0.5) * step, 1), row > 0 and values[row - 1] is not None
            has_after = row + 1 < len(starts) and values[row + 1] is not None
            path.append(f"{'L' if has_before else 'M'}{x} {y(float(values[row]))}")
            if not has_before and not has_after:
                dots.append((number, x, y(float(values[row])), name, starts[row], values[row]))
        paths.append((number, " ".join(path), name))
    line = '<path class="ds-line-{}" d="{}"><title>{}</title></path>'
    dot = '<circle class="ds-fill-{}" cx="{}" cy="{}" r="3"><title>{}, {}: {}</title></circle>'
    return format_html("{}{}", format_html_join("", line, paths), format_html_join("", dot, dots))


def _grid(ticks: Sequence[float], y: Any) -> SafeString:
    shape = (
        '<line class="ds-grid" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<text class="ds-label" x="{}" y="{}" text-anchor="end">{}</text>'
    )
    rows = [(_LEFT, _WIDTH - _RIGHT, y(tick), y(tick), _LEFT - 8, y(tick) + 4, _short(tick)) for tick in ticks]
    return format_html_join("", shape, rows)


def _time_axis(starts: Sequence[str], step: float) -> SafeString:
    every = math.ceil(len(starts) / _LABELS)
    with_hours = any(start[11:16] != "00:00" for start in starts)
    shape = '<text class="ds-label ds-time{}" x="{}" y="{}" text-anchor="middle">{}</text>'
    rows = [
        (
            " ds-label-more" if row // every % _NARROW_EVERY else "",
            round(_LEFT + (row + 0.5) * step, 1),
            _HEIGHT - 10,
            start[5:16].replace("T", " ") if with_hours else start[:10],
        )
        for row, start in enumerate(starts)
        if row % every == 0
    ]
    return format_html_join("", shape, rows)


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers that cover the range.

    >>> _ticks(0, 7), _ticks(0, 0)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 1.0])
    """
    if not high > low:
        return [0.0, 1.0]
    rough = (high - low) / _STEPS
    if not math.isfinite(rough) or rough <= 0:
        return [low, high]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(round_one * power for round_one in (1, 2, 5, 10) if round_one * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [number * step for number in range(first, last + 1)]


def _short(value: float) -> str:
    for border, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= border:
            return f"{value / border:g}{letter}"
    return f"{value:g}"
