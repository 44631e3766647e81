"""The answer of a saved query: rows with a value for each period and group.

Source: docs/reference/saved-queries.md.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from datasets.queries import moving, values
from datasets.queries.query import Query
from datasets.saved_queries.question import Measure, Question

Number = int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """A value. start_at, end_at: of its period, blank without periods; split: the value of its group

    value: None if there is none; previous: of the earlier range; moving: the mean over the last periods
    hidden: the names of the values that are not shown, see `small_numbers`
    """

    start_at: str = ""
    end_at: str = ""
    split: Any = None
    value: Number | None = None
    previous: Number | None = None
    moving: Number | None = None
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnswer:
    """An answer. updated_at: when the last record of its data sets was written, or blank; is_late: a write is missing

    start_at, end_at: the range, or blank for all records
    rest: of the groups that the limit left out, the sums of their values and previous values, by name
    hide_below: the number below which its values are hidden, or None; an answer that is stored hides none
    """

    rows: list[AnswerRow]
    rest: dict[str, Number] = field(default_factory=dict)
    start_at: str = ""
    end_at: str = ""
    updated_at: str = ""
    is_late: bool = False
    hide_below: int | None = None

    @property
    def has_hidden(self) -> bool:
        return any(row.hidden for row in self.rows)

    def document(self) -> dict[str, Any]:
        """Return the answer as a JSON object, for `of`."""
        rows = [{name: value for name, value in asdict(row).items() if name != "hidden"} for row in self.rows]
        return {**asdict(replace(self, rows=[])), "rows": rows}

    @classmethod
    def of(cls, document: dict[str, Any]) -> Self:
        return cls(**{**document, "rows": [AnswerRow(**row) for row in document["rows"]]})


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRow:
    """A row of the API about one measure. is_there: whether the data set has a record for it"""

    start_at: str
    end_at: str
    split: Any
    value: Number | None
    previous: Number | None
    is_there: bool
    was_there: bool

    @property
    def place(self) -> tuple[str, values.Order]:
        return self.start_at, values.order(self.split)


def measured(rows: Iterable[dict[str, Any]], query: Query, measure: Measure) -> list[MeasuredRow]:
    """Return the rows of the API as measured rows."""
    split = query.group_by[0] if query.group_by else ""
    return [
        MeasuredRow(
            start_at=row.get("_start_at", ""),
            end_at=row.get("_end_at", ""),
            split=row[split] if split else None,
            value=_number(row[measure.key]),
            previous=_number(row.get("_previous", {}).get(measure.key)),
            is_there=row["_count"] > 0,
            was_there=row.get("_previous", {}).get("_count", 0) > 0,
        )
        for row in rows
    ]


def combined(
    question: Question, first: list[MeasuredRow], second: list[MeasuredRow] | None
) -> tuple[list[AnswerRow], list[AnswerRow]]:
    """Return the rows of the answer, of one measure or of the ratio of two, and the rows that its limit leaves out.

    A period or group that one of two data sets lacks has no value. If both measures are of one data set, no record for
    the first one counts as 0: no failure among 100 messages is 0, not nothing.
    """
    rows = [_single(row) for row in first] if second is None else _ratios(question, first, second)
    if not question.period and question.limit:
        rows = sorted(rows, key=lambda row: (row.value is None, -(row.value or 0)))
        return rows[: question.limit], rows[question.limit :]
    return _with_moving(rows, question.moving) if question.moving else rows, []


def rest_of(rows: list[AnswerRow]) -> dict[str, Number]:
    """Return the sums of the values of these rows and of their previous values, without those that are 0."""
    sums = {
        "value": sum(row.value for row in rows if row.value is not None),
        "previous": sum(row.previous for row in rows if row.previous is not None),
    }
    return {name: number for name, number in sums.items() if number and math.isfinite(number)}


def _single(row: MeasuredRow) -> AnswerRow:
    return AnswerRow(start_at=row.start_at, end_at=row.end_at, split=row.split, value=row.value, previous=row.previous)


def _ratios(question: Question, first: list[MeasuredRow], second: list[MeasuredRow]) -> list[AnswerRow]:
    by_place = {row.place: row for row in first}
    is_one_set = question.measure.data_set == (question.divided_by.data_set if question.divided_by else "")
    found = []
    for below in second:
        above = by_place.get(below.place)
        if above is None and not is_one_set:
            continue
        value = _ratio(_counted(above, is_one_set, is_before=False), below.value if below.is_there else None)
        previous = _ratio(_counted(above, is_one_set, is_before=True), below.previous if below.was_there else None)
        found.append(
            AnswerRow(start_at=below.start_at, end_at=below.end_at, split=below.split, value=value, previous=previous)
        )
    return found


def _counted(row: MeasuredRow | None, is_one_set: bool, *, is_before: bool) -> Number | None:
    if row is None:
        return 0 if is_one_set else None
    is_there, value = (row.was_there, row.previous) if is_before else (row.is_there, row.value)
    if not is_there:
        return 0 if is_one_set else None
    return value


def _ratio(above: Number | None, below: Number | None) -> Number | None:
    """Return the ratio, or None without one or if it is too large for a double, also in percent."""
    ratio = None if above is None or not below else above / below
    return ratio if ratio is not None and math.isfinite(ratio * 100) else None


def _with_moving(rows: list[AnswerRow], length: int) -> list[AnswerRow]:
    by_split: dict[values.Order, list[AnswerRow]] = {}
    for row in rows:
        by_split.setdefault(values.order(row.split), []).append(row)
    means: dict[tuple[str, values.Order], Number | None] = {}
    for split, series in by_split.items():
        for place, row in enumerate(series):
            last = [one.value for one in series[place + 1 - length : place + 1]] if place + 1 >= length else []
            means[row.start_at, split] = moving.mean([value for value in last if value is not None])
    return [AnswerRow(**{**asdict(row), "moving": means[row.start_at, values.order(row.split)]}) for row in rows]


def _number(value: object) -> Number | None:
    return values.number(value)
