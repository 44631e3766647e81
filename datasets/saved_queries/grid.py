"""Arrange the rows of an answer for a table and a chart: a row for each period or group, a column for each series.

Source: docs/reference/saved-queries.md §3; docs/reference/dashboards.md §2.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils.text import capfirst
from django.utils.translation import gettext

from datasets.queries import values
from datasets.saved_queries import wording
from datasets.saved_queries.answer import AnswerRow, Number, QueryAnswer
from datasets.saved_queries.question import Question
from datasets.saved_queries.wording import Unit

MAX_TABLE_ROWS = 400
MAX_TABLE_COLUMNS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class GridColumn:
    """A series: a value for each place, or None. hidden: the places whose value is not shown, see `small_numbers`

    is_comparison: the values of an earlier range
    """

    name: str
    values: list[Number | None]
    hidden: frozenset[int] = frozenset()
    is_comparison: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """heading: of the first column; places: as readers see them; starts: the starts of periods in ISO 8601"""

    heading: str
    places: list[str]
    starts: list[str]
    columns: list[GridColumn]

    @property
    def is_empty(self) -> bool:
        return not any(value is not None or column.hidden for column in self.columns for value in column.values)

    @property
    def is_cut(self) -> bool:
        """Whether the table has only the first rows or columns."""
        return len(self.places) > MAX_TABLE_ROWS or len(self.columns) > MAX_TABLE_COLUMNS

    def cells(self, unit: Unit, hidden: str = "") -> list[tuple[str, list[str]]]:
        """Return the rows of the table as texts. hidden: what stands for values that are not shown"""
        columns = self.columns[:MAX_TABLE_COLUMNS]
        rows = []
        for number, place in enumerate(self.places[:MAX_TABLE_ROWS]):
            values = [(column.values[number], number in column.hidden) for column in columns]
            written = [
                hidden if is_hidden else "–" if value is None else unit.written(value) for value, is_hidden in values
            ]
            rows.append((place, written))
        return rows


def of(answer: QueryAnswer, question: Question, name: str) -> Grid:
    """Return the grid of an answer. name: of the series if there is only one"""
    if answer.hide_below is not None:
        question = replace(question, moving=None)  # such an answer has no means
    if question.period:
        return _by_period(answer, question, name)
    groups = [wording.group(row.split, question.split) if question.split else name for row in answer.rows]
    heading = wording.field(question.split) if question.split else ""
    columns = list(_columns(answer.rows, question, name if question.split else gettext("Value")))
    return Grid(heading=heading, places=groups, starts=[], columns=columns)


def _by_period(answer: QueryAnswer, question: Question, name: str) -> Grid:
    starts = sorted({row.start_at for row in answer.rows})
    by_split: dict[values.Order, dict[str, AnswerRow]] = {}
    for row in answer.rows:
        by_split.setdefault(values.order(row.split), {})[row.start_at] = row
    columns: list[GridColumn] = []
    for found in by_split.values():
        rows = [found.get(start, AnswerRow(start_at=start)) for start in starts]
        split = next(iter(found.values())).split
        own = wording.group(split, question.split) if question.split else name
        columns += _columns(rows, question, own)
    places = [wording.period(start, question) for start in starts]
    return Grid(heading=gettext("Period"), places=places, starts=starts, columns=columns)


def _columns(rows: list[AnswerRow], question: Question, name: str) -> Iterator[GridColumn]:
    yield GridColumn(name=name, values=[row.value for row in rows], hidden=_hidden(rows, "value"))
    if question.compare:
        earlier = compared(question)
        title = (
            gettext("%(name)s, %(earlier)s") % {"name": name, "earlier": earlier}
            if question.split
            else capfirst(earlier)
        )
        hidden = _hidden(rows, "previous")
        yield GridColumn(name=title, values=[row.previous for row in rows], hidden=hidden, is_comparison=True)
    if question.moving:
        title = gettext("%(name)s, mean of %(number)s periods") % {"name": name, "number": question.moving}
        yield GridColumn(name=title, values=[row.moving for row in rows])


def _hidden(rows: list[AnswerRow], name: str) -> frozenset[int]:
    return frozenset(place for place, row in enumerate(rows) if name in row.hidden)


def compared(question: Question) -> str:
    """Return the name of the earlier range."""
    return gettext("the year before") if question.compare == "previous_year" else gettext("the previous period")
