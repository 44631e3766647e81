"""The ranges of time that a reader can choose for all tiles of a dashboard.

Source: docs/reference/dashboards.md §3.
"""

from datasets.saved_queries.question import AskedRange, Question

AS_SAVED = ""
# For each range, the number of periods that it has. The last hour, day or month of a tile is always a whole one.
_PERIODS: dict[str, dict[str, int]] = {
    "last-30-days": {"hour": 720, "day": 30, "week": 4, "month": 1, "quarter": 1, "year": 1},
    "last-3-months": {"hour": 1_000, "day": 91, "week": 13, "month": 3, "quarter": 1, "year": 1},
    "last-12-months": {"hour": 1_000, "day": 365, "week": 52, "month": 12, "quarter": 4, "year": 1},
}
_UNITS = {"last-30-days": ("day", 30), "last-3-months": ("month", 3), "last-12-months": ("month", 12)}
THIS_YEAR = "this-year"
RANGES = (AS_SAVED, *_PERIODS, THIS_YEAR)


def asked(name: str, question: Question) -> AskedRange | None:
    """Return the range for a question, or None for its own. name: one of RANGES

    A question with periods counts them, so that 12 months are 12 rows of a month or 52 rows of a week. Tiles by the
    hour show at most 1,000 hours.

    >>> asked("last-12-months", Question(period="quarter")).number
    4
    """
    if name == AS_SAVED:
        return None
    if name == THIS_YEAR:
        return AskedRange(kind="this_year")
    if question.period:
        return AskedRange(kind="last", number=_PERIODS[name][question.period])
    unit, number = _UNITS[name]
    return AskedRange(kind="last", number=number, unit=unit)
