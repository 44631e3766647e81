"""The description of a chart. Source: docs/reference/charts.md §1."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["line", "bar", "stacked_bar"]
Language = Literal["en", "cy"]

MAX_PLACES = 10_000
MAX_POINTS = 20_000
_MAX_VALUE = 1e300  # sums and distances of such values are still numbers


@dataclass(frozen=True, slots=True)
class Series:
    """A name, and one value for each place on the x axis, or None for no value.

    is_comparison: the values of an earlier range, which stand beside the others
    is_other: the values are already those of several series together
    """

    name: str
    values: Sequence[float | int | None]
    is_comparison: bool = False
    is_other: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartData:
    """What a chart shows. Raises ValueError for a kind that does not exist, series of another length, too many points.

    title, description: for screen readers; images show the title, too; without a description, the chart makes one
    labels: one for each place on the x axis: texts for people or, if `period` is set, the starts in ISO 8601
    period: hour, day, week, month, quarter or year
    time_zone: the local time of the labels
    series: of more than eight, the smallest become "Other" if `may_add_up` is set, else they are left out
    unit: "£", "$" and "€" stand before a value, other units after it
    decimals: None means as many as the value needs, four at most
    is_percent: a value of 1 is written as 100%
    target: a line across the chart
    """

    kind: Kind
    title: str
    description: str
    labels: Sequence[str]
    series: Sequence[Series]
    unit: str = ""
    decimals: int | None = None
    is_percent: bool = False
    target: float | None = None
    target_label: str = ""
    language: Language = "en"
    period: str | None = None
    time_zone: str = "UTC"
    may_add_up: bool = True

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"The kind {self.kind!r} of a chart does not exist.")
        if any(len(series.values) != len(self.labels) for series in self.series):
            raise ValueError("Each series of a chart needs one value for each label.")
        if len(self.labels) > MAX_PLACES or len(self.labels) * len(self.series) > MAX_POINTS:
            raise ValueError(f"A chart has at most {MAX_PLACES:,} labels and {MAX_POINTS:,} values.")


def plotted(value: float | int | None) -> float | None:
    """Return the value as a number that can be drawn, or None for a gap.

    >>> plotted(3), plotted(None), plotted(float("nan")), plotted(10**400)
    (3.0, None, None, None)
    """
    try:
        number = float(value) if value is not None else math.nan
    except OverflowError:
        return None
    return number if abs(number) <= _MAX_VALUE else None  # NaN compares false
