"""Write values, periods and groups for readers, in the active language. Source: docs/reference/saved-queries.md §3."""

import json
import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.dateformat import format as formatted
from django.utils.translation import get_language, gettext

from config import formats
from config.rest.api_errors import ApiError
from datasets.models import SavedQuery
from datasets.saved_queries.answer import QueryAnswer
from datasets.saved_queries.question import Question

_BEFORE = ("£", "$", "€")  # units before a number
_MOST_DECIMALS = 2
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """How a query writes its values. is_percent: a value of 1 is written as 100%"""

    unit: str = ""
    decimals: int | None = None
    is_percent: bool = False

    @classmethod
    def of(cls, saved_query: SavedQuery, question: Question) -> "Unit":
        is_percent = saved_query.unit.strip() == "%" and question.divided_by is not None
        return cls(unit=saved_query.unit.strip(), decimals=saved_query.decimals, is_percent=is_percent)

    def written(self, value: float) -> str:
        """Return a value with its unit.

        >>> Unit(unit="£", decimals=2).written(-1200.5), Unit(unit="%", is_percent=True).written(0.834)
        ('−£1,200.50', '83.4%')
        """
        value = value * 100 if self.is_percent else value
        text = _number(abs(value), self.decimals, 1 if self.is_percent else _MOST_DECIMALS)
        sign = "−" if value < 0 and text.strip("0.,") else ""
        if self.unit in _BEFORE:
            return f"{sign}{self.unit}{text}"
        return f"{sign}{text}{'' if self.unit in ('', '%') else ' '}{self.unit}"


def _number(value: float, decimals: int | None, most_decimals: int = _MOST_DECIMALS) -> str:
    if decimals is not None:
        return f"{value:,.{decimals}f}"
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value:,.{most_decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def change(value: float, previous: float, unit: Unit) -> tuple[int | None, str]:
    """Return -1, 0 or 1 for down, the same and up, and the size of the change in words.

    The direction is None, as without a comparison, if the size is too large for a double.

    >>> change(-1, 1, Unit(unit="£")), change(1e308, 1e-308, Unit())
    ((-1, '200%'), (None, ''))
    """
    direction = (value > previous) - (value < previous)
    if not direction:
        return 0, ""
    if unit.is_percent:
        points = _number(abs(value - previous) * 100, None, 1)
        return direction, gettext("%(number)s percentage points") % {"number": points}
    if not previous:
        return direction, unit.written(abs(value - previous))
    share = abs(value - previous) / abs(previous) * 100
    return (direction, f"{_number(share, None, 1)}%") if math.isfinite(share) else (None, "")


def period(start_at: str, question: Question) -> str:
    """Return the name of a period, such as `March 2026`. start_at: in UTC; the name is in the question's time zone"""
    at = moment(start_at, question)
    kind = question.period
    if kind == "year":
        return str(at.year)
    if kind == "quarter":
        last = at.replace(month=at.month + 2)
        return gettext("%(first)s to %(last)s") % {"first": formatted(at, "F"), "last": formatted(last, "F Y")}
    if kind == "month":
        return formatted(at, "F Y")
    if kind == "week":
        return gettext("Week from %(day)s") % {"day": formats.full_day(at.date())}
    return f"{formats.full_day(at.date())}, {at:%H:%M}" if kind == "hour" else formats.full_day(at.date())


def reason(error: ApiError) -> tuple[str, str]:
    """Return why a query has no answer, and the language of the text: `en` if a Welsh page has no Welsh form of it."""
    if get_language() != "cy":
        return str(error), ""
    welsh = gettext(error.text)
    return (str(error), "en") if welsh == error.text else (welsh.format(**error.values), "")


def hidden(answer: QueryAnswer) -> str:
    """Return what stands for a value that is not shown.

    Only a single value may be called small: among several, the words would tell small ones from those that reveal them.
    """
    if len(answer.rows) == 1:
        return gettext("fewer than %(number)s") % {"number": answer.hide_below}
    return gettext("not shown")


def moment(text: str, question: Question) -> datetime:
    at = datetime.fromisoformat(text)
    return at.astimezone(ZoneInfo(question.time_zone or "UTC"))


def group(value: Any, split: str) -> str:
    """Return the name of a group: a text as it is, other values as in JSON.

    >>> group("web", "channel"), group(404, "status"), group(True, "ok"), group(9, "_hour_of_day")
    ('web', '404', 'true', '09:00')
    """
    if split == "_day_of_week" and isinstance(value, int) and 1 <= value <= len(_DAYS):
        return gettext(_DAYS[value - 1])
    if split == "_hour_of_day" and isinstance(value, int):
        return f"{value:02}:00"
    if value is None or value == "":
        return gettext("No value")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def field(split: str) -> str:
    """Return the heading of a column of groups."""
    own = {"_day_of_week": gettext("Day of the week"), "_hour_of_day": gettext("Hour of the day")}
    return own.get(split, split)
