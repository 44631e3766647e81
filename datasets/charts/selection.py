"""At most eight series and "Other". Source: docs/reference/charts.md §2."""

from collections.abc import Sequence

from datasets.charts.colours import SERIES
from datasets.charts.data import ChartData, Series, plotted
from datasets.charts.words import ChartWords


def drawn_series(chart: ChartData, words: ChartWords) -> list[Series]:
    """Return the series that are drawn, in their order: the eight largest, then "Other" of the others.

    As many comparisons as series are those of the series at the same positions, so that each stands beside its own.
    """
    shown: list[Series] = []
    largest: list[int] = []
    before = 0
    for is_comparison in (False, True):
        asked = [series for series in chart.series if series.is_comparison is is_comparison]
        group, others = ([series for series in asked if series.is_other is is_other] for is_other in (False, True))
        is_cut = len(group) > SERIES
        if is_cut:
            if len(group) != before:
                largest = _largest(group)
            before = len(group)
            others += [series for row, series in enumerate(group) if row not in largest]
            group = [group[row] for row in sorted(largest)]
        if is_cut or len(others) > 1:
            others = [_together(others, words.other, is_comparison)] if chart.may_add_up else []
        shown += [*group, *others]
    return shown


def _largest(group: Sequence[Series]) -> list[int]:
    return sorted(range(len(group)), key=lambda row: -_size(group[row]))[:SERIES]


def _size(series: Series) -> float:
    return sum(abs(plotted(value) or 0) for value in series.values)


def _together(rest: Sequence[Series], name: str, is_comparison: bool) -> Series:
    columns = zip(*(series.values for series in rest), strict=True)
    return Series(name, [_sum(column) for column in columns], is_comparison, is_other=True)


def _sum(values: Sequence[float | int | None]) -> float | int | None:
    """Return the sum of the values that can be drawn, or None if there are none or it cannot be drawn.

    >>> _sum([1, None, 2]), _sum([None]), _sum([1e308, 1e308])
    (3, None, None)
    """
    found = [value for value in values if value is not None and plotted(value) is not None]
    total = sum(found)
    return total if found and plotted(total) is not None else None
