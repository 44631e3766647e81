"""What the chart of a data set shows at first, and what its values say. Source: docs/reference/console.md §3.16."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import formats
from datasets.models import DataSet, FieldSeen
from datasets.queries import escaping
from datasets.store import fields_seen

_USUAL_NUMBERS = ("count", "number", "total", "amount")  # names that are more likely to be summed than others
_SPANS = ((timedelta(days=14), "day", 30), (timedelta(days=365), "month", 24))  # by the age of the newest record
_LONGEST = ("year", 20)
_WITH_CHANGE = 3  # periods: two whole ones and the current one
OTHER = "other"  # the name of the values that have no series of their own

ChartSeries = tuple[str, Sequence[float | None]]


def first_choice(data_set: DataSet, seen: Sequence[FieldSeen], now: datetime, most: int) -> dict[str, Any]:
    """Return a sum of a number, split by a field with at most `most` values, over periods that have records."""
    numbers = [field.name for field in seen if "number" in field.types and "text" not in field.types]
    measured = next((name for name in _USUAL_NUMBERS if name in numbers), numbers[0] if numbers else "")
    texts = [field.name for field in seen if "text" in field.types and "number" not in field.types]
    flags = [field.name for field in seen if field.types in (["boolean"], ["boolean", "null"])]
    values = fields_seen.values(data_set, [*texts, *flags], most=most)
    newest = data_set.records.order_by("-timestamp").values_list("timestamp", flat=True).first()
    age = now - newest if newest else timedelta(0)
    period, last = next(((period, last) for oldest, period, last in _SPANS if age < oldest), _LONGEST)
    return {
        "period": period,
        "last": last,
        "measure": f"{escaping.escape(measured)}:sum" if measured else "",
        "split": next((name for name in [*texts, *flags] if len(values.get(name, ())) > 1), ""),
    }


def largest_part(measure: str, split: str, series: Sequence[ChartSeries]) -> SafeString:
    """Return which value of the split has most, or "" if parts say nothing. measure: "" for the number of records

    >>> largest_part("", "channel", [("web", [4, 2]), ("post", [None, 3])])
    'Most records are of channel <strong>web</strong>: 67%.'
    """
    totals = [(sum(value or 0 for value in values), name) for name, values in series]
    whole = sum(total for total, _ in totals)
    largest, name = max((one for one in totals if one[1] != OTHER), default=(0, ""))
    if not largest or any(total < 0 for total, _ in totals):
        return SafeString("")
    if largest * 2 > whole:
        beginning = f"Most of the {measure} is" if measure else "Most records are"
    else:
        beginning = f"The largest part of the {measure or 'records'} is"
    share = round(100 * largest / whole)
    return format_html("{} of {} <strong>{}</strong>: {}.", beginning, split, name, formats.percent(share))


def last_change(measure: str, period: str, values: Sequence[float | None]) -> str:
    """Return the last whole period against the one before, or "" without a value. values: the last is the current one

    >>> last_change("", "week", [1000, 1200, 7])
    'In the last whole week, there were 1,200 records, 20% more than in the week before.'
    >>> last_change("sum of count", "day", [None, 2.5, None])
    'In the last whole day, the sum of count was 2.5.'
    """
    if len(values) < _WITH_CHANGE or values[-2] is None:
        return ""
    value, before = values[-2], values[-3] or 0
    shown = formats.number(round(value, 2))
    text = f"In the last whole {period}, "
    text += f"the {measure} was {shown}" if measure else f"there were {shown} records"
    if before <= 0 or value < 0:
        return f"{text}."
    percent = round(100 * abs(value - before) / before)
    more = f"{formats.percent(percent)} {'more' if value > before else 'less'} than"
    change = more if percent else "about the same as"
    return f"{text}, {change} in the {period} before."
