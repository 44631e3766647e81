"""Values and ticks as texts. Source: docs/reference/charts.md §2."""

import math

from datasets.charts.data import ChartData, plotted
from datasets.charts.scale import Scale
from datasets.charts.texts import cut

_BEFORE = ("£", "$", "€")  # units before a number
_MOST_DECIMALS = 4
_LARGE = ((1e12, "tn"), (1e9, "bn"), (1e6, "m"))
_TOO_LARGE = 1e15  # from here on as 1e+15
_UNIT_LENGTH = 20
_TICK_UNIT_LENGTH = 3


def value(number: float | int | None, chart: ChartData, *, missing: str) -> str:
    """Return a value with its unit, such as `£1,200.50`, `83.4%` or `12 days`."""
    drawn = plotted(number)
    if drawn is None:
        return missing
    if chart.is_percent:
        return _with_unit(_rounded(drawn * 100, 1 if chart.decimals is None else chart.decimals, chart), "%")
    if isinstance(number, int) and not chart.decimals and abs(number) < _TOO_LARGE:
        return _with_unit(f"{number:,}", chart.unit)
    decimals = chart.decimals
    if decimals is None:
        decimals = (
            _MOST_DECIMALS if abs(drawn) >= 1 or not drawn else _MOST_DECIMALS - math.floor(math.log10(abs(drawn)))
        )
    return _with_unit(_rounded(drawn, decimals, chart), chart.unit)


def axis_unit(chart: ChartData) -> str:
    """Return the unit to write once above the axis, because it is too long for each tick, or an empty text."""
    unit = cut(chart.unit.strip(), _UNIT_LENGTH)
    return unit if len(unit) > _TICK_UNIT_LENGTH and not chart.is_percent else ""


def tick_texts(scale: Scale, chart: ChartData) -> list[str]:
    """Return the texts of all ticks, with the same number of decimals and in the same thousands."""
    factor = 100.0 if chart.is_percent else 1.0
    largest = max(abs(scale.low), abs(scale.high)) * factor
    unit = "%" if chart.is_percent else chart.unit if not axis_unit(chart) else ""
    divisor, letter = next(((size, word) for size, word in _LARGE if largest >= size), (1.0, ""))
    if largest >= _TOO_LARGE or 0 < largest < 1e-6:
        return [_with_unit(f"{tick * factor:.3g}", unit) for tick in scale.ticks]
    step = scale.step * factor / divisor
    decimals = min(max(-math.floor(math.log10(step) + 1e-9), 0), 12) if step > 0 else 0
    if unit in _BEFORE and decimals == 1 and not letter:
        decimals = 2  # £4.20
    return [
        _with_unit(f"{tick * factor / divisor:,.{decimals}f}{letter if tick else ''}", unit) for tick in scale.ticks
    ]


def _rounded(number: float, decimals: int, chart: ChartData) -> str:
    if abs(number) >= _TOO_LARGE:
        return f"{number:.6g}"
    text = f"{number:,.{min(max(decimals, 0), 12)}f}"
    return text if chart.decimals is not None or "." not in text else text.rstrip("0").rstrip(".")


def _with_unit(text: str, unit: str) -> str:
    """Return a number with its unit and with a minus sign.

    >>> _with_unit("-5", "£"), _with_unit("5", "%"), _with_unit("-0.0", "days"), _with_unit("5", "")
    ('−£5', '5%', '0.0 days', '5')
    """
    is_negative = text.startswith("-") and text.strip("-0.,") != ""
    sign, text, unit = "−" if is_negative else "", text.lstrip("-"), cut(unit.strip(), _UNIT_LENGTH)
    if unit in _BEFORE:
        return f"{sign}{unit}{text}"
    return f"{sign}{text}{'' if unit in ('', '%') else ' '}{unit}"
