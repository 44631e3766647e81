"""Labels of periods. Source: docs/reference/charts.md §2."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from datasets.charts.data import ChartData
from datasets.charts.words import ChartWords


@dataclass(frozen=True, slots=True)
class PlaceLabel:
    """The label of a place on the x axis.

    short: on the axis; second: a second line, shown where it differs from the label before
    full: for the value shown on hover; number: the axis shows every n-th label by this number
    """

    short: str
    second: str
    full: str
    number: int


# The distances between labels. Labels of hours and months stand at even hours and months of the year.
STEPS = {
    "hour": (1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 672),
    "day": (1, 2, 7, 14, 28, 56, 91, 182, 364),
    "week": (1, 2, 4, 8, 13, 26, 52),
    "month": (1, 2, 3, 6, 12, 24, 60, 120),
    "quarter": (1, 2, 4, 8, 20, 40),
    "year": (1, 2, 5, 10, 20, 50, 100),
}


def labels(chart: ChartData, words: ChartWords) -> list[PlaceLabel]:
    """Return the label of each place. A start that is no moment is shown as it is."""
    if chart.period not in STEPS:
        return [PlaceLabel(text, "", text, number) for number, text in enumerate(chart.labels)]
    zone = ZoneInfo(chart.time_zone)
    return [_label(text, chart.period, zone, words, number) for number, text in enumerate(chart.labels)]


def _label(text: str, period: str, zone: ZoneInfo, words: ChartWords, number: int) -> PlaceLabel:
    try:
        start = datetime.fromisoformat(text)
        at = start.replace(tzinfo=start.tzinfo or UTC).astimezone(zone)
    except (ValueError, OverflowError):
        return PlaceLabel(text, "", text, number)
    month, short = words.months[at.month - 1], words.short_months[at.month - 1]
    day = f"{at.day} {month} {at.year}"
    if period == "hour":
        return PlaceLabel(f"{at:%H:%M}", f"{at.day} {short} {at.year}", f"{day}, {at:%H:%M}", _hour_number(at))
    if period in ("day", "week"):
        full = day if period == "day" else f"{words.week} {day}"
        return PlaceLabel(f"{at.day} {short}", str(at.year), full, number)
    if period == "month":
        return PlaceLabel(short, str(at.year), f"{month} {at.year}", at.year * 12 + at.month - 1)
    if period == "quarter":
        last = words.months[min(at.month + 1, 11)]
        last_short = words.short_months[min(at.month + 1, 11)]
        full = f"{month} {words.to} {last} {at.year}"
        return PlaceLabel(f"{short}–{last_short}", str(at.year), full, at.year * 4 + (at.month - 1) // 3)
    return PlaceLabel(str(at.year), "", str(at.year), at.year)


def _hour_number(at: datetime) -> int:
    return at.toordinal() * 24 + at.hour


def shown(found: Sequence[PlaceLabel], period: str | None, most: int) -> list[int]:
    """Return the places whose labels are shown, at most `most` and at equal distances."""
    steps = STEPS.get(period or "", (1,))
    every = next((step for step in steps if _count(found, step) <= most), 0)
    if every:
        return [row for row, label in enumerate(found) if label.number % every == _remainder(found, every, period)]
    every = -(-len(found) // max(most, 1))
    return list(range(0, len(found), every))


def _remainder(found: Sequence[PlaceLabel], every: int, period: str | None) -> int:
    """Return the remainder of the shown labels: days and weeks count from the first place."""
    return found[0].number % every if period not in ("hour", "month", "quarter", "year") else 0


def _count(found: Sequence[PlaceLabel], step: int) -> int:
    return -(-len(found) // step)
