"""Lines and bars as SVG paths: one path for each series, so that a page with many charts stays small."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from datasets.charts.colours import DASHES, LIGHT, SERIES
from datasets.charts.data import Series, plotted
from datasets.charts.scale import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """The rectangle between the axes, in units of the SVG, and the scales of both axes."""

    left: float
    top: float
    width: float
    height: float
    places: int
    scale: Scale

    @property
    def step(self) -> float:
        return self.width / max(self.places, 1)

    def x(self, place: float) -> float:
        """Return the middle of a place."""
        return self.left + (place + 0.5) * self.step

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - self.scale.part(value))


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def colour(series: Sequence[Series], row: int) -> int:
    """Return the number of the colour. A comparison has the colour of the series that it is compared with."""
    if series[row].is_other:
        return SERIES
    kind = series[row].is_comparison
    return sum(one.is_comparison is kind and not one.is_other for one in series[:row])


def lines(series: Sequence[Series], plot: Plot) -> list[str]:
    """Return a line between neighbours, and a dot for a value between two gaps. Comparisons are thin, and below."""
    order = sorted(range(len(series)), key=lambda row: not series[row].is_comparison)
    return [part for row in order for part in _line(series[row], colour(series, row), plot)]


def points(series: Sequence[Series], plot: Plot) -> list[tuple[float, float]]:
    """Return points on the lines of the series, eight for each place."""
    found = []
    for one in series:
        values = [plotted(value) for value in one.values]
        for place, (value, following) in enumerate(zip(values, [*values[1:], None], strict=True)):
            if value is not None:
                slope = 0.0 if following is None else following - value
                found += [(plot.x(place + part / 8), plot.y(value + slope * part / 8)) for part in range(8)]
    return found


def _line(series: Series, paint: int, plot: Plot) -> list[str]:
    values = [plotted(value) for value in series.values]
    path, dots = [], []
    for place, value in enumerate(values):
        if value is None:
            continue
        at = f"{number(plot.x(place))} {number(plot.y(value))}"
        has_before = place > 0 and values[place - 1] is not None
        has_after = place + 1 < len(values) and values[place + 1] is not None
        if has_before or has_after:
            path.append(f"{'L' if has_before else 'M'}{at}")
        else:
            dots.append(f"M{at}h0")
    thin = series.is_comparison
    stroke = f'class="chart-line-{paint}" stroke="{LIGHT[paint]}" fill="none" stroke-linecap="round"'
    dash = "1 4" if thin else DASHES[paint]
    shape = f'stroke-width="{1.5 if thin else 2.5}" stroke-linejoin="round"' + (
        f' stroke-dasharray="{dash}"' if dash else ""
    )
    found = [f'<path {stroke} {shape} d="{"".join(path)}"/>'] if path else []
    return [*found, *([f'<path {stroke} stroke-width="{5 if thin else 7}" d="{"".join(dots)}"/>'] if dots else [])]


def bars(series: Sequence[Series], plot: Plot) -> list[str]:
    """Return bars side by side. Comparisons are hollow."""
    wide = plot.step * (0.8 if plot.step > 3 else 1)
    each = wide / max(len(series), 1)
    found = []
    for row, one in enumerate(series):
        offset = -wide / 2 + row * each

        def place_bar(place: int, value: float, offset: float = offset) -> str:
            return _bar(plot, plot.x(place) + offset, each, 0, value)

        found.append(_painted(one, colour(series, row), _each(one, place_bar)))
    return found


def stacked_bars(series: Sequence[Series], plot: Plot) -> list[str]:
    """Return stacks: values above zero upwards, those below zero downwards. Comparisons are stacks beside them."""
    wide = plot.step * (0.8 if plot.step > 3 else 1)
    has_both = len({one.is_comparison for one in series}) == 2
    each = wide / 2 if has_both else wide
    ends: dict[tuple[int, bool, bool], float] = {}
    found = []
    for row, one in enumerate(series):
        left = 0.0 if has_both and one.is_comparison else -wide / 2

        def place_bar(place: int, value: float, one: Series = one, left: float = left) -> str:
            key = (place, value > 0, one.is_comparison)
            start = ends.get(key, 0.0)
            ends[key] = start + value
            return _bar(plot, plot.x(place) + left, each, start, start + value)

        found.append(_painted(one, colour(series, row), _each(one, place_bar)))
    return found


def _each(series: Series, bar: Callable[[int, float], str]) -> str:
    values = ((place, plotted(value)) for place, value in enumerate(series.values))
    return "".join(bar(place, value) for place, value in values if value)


def _bar(plot: Plot, left: float, width: float, start: float, end: float) -> str:
    """Return a bar between two values. Very small values keep a visible line."""
    top, bottom = plot.y(max(start, end)), plot.y(min(start, end))
    wide, high = number(max(width, 0.3)), number(max(bottom - top, 0.5))
    return f"M{number(left)} {number(top)}h{wide}v{high}h-{wide}z"


def _painted(series: Series, paint: int, path: str) -> str:
    if not path:
        return ""
    if series.is_comparison:
        return f'<path class="chart-line-{paint}" stroke="{LIGHT[paint]}" fill="none" d="{path}"/>'
    return f'<path class="chart-fill-{paint} chart-bar" fill="{LIGHT[paint]}" d="{path}"/>'


def key(series: Series, paint: int, x: float, y: float, *, is_line: bool) -> str:
    """Return the mark of a series in the legend: a piece of its line, or a square."""
    if is_line:
        dash = "1 4" if series.is_comparison else DASHES[paint]
        return (
            f'<path class="chart-line-{paint}" stroke="{LIGHT[paint]}" fill="none" '
            f'stroke-width="{1.5 if series.is_comparison else 2.5}"'
            + (f' stroke-dasharray="{dash}"' if dash else "")
            + f' d="M{number(x)} {number(y)}h26"/>'
        )
    square = f"M{number(x)} {number(y - 6)}h12v12h-12z"
    return _painted(series, paint, square)
