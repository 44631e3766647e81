"""Show an answer as the data of a chart, as JSON and as CSV.

Source: docs/reference/saved-queries.md §3.
"""

from collections.abc import Iterator
from typing import Any

from datasets.charts.data import MAX_PLACES, MAX_POINTS, ChartData, Kind, Series
from datasets.models import ChartKind, SavedQuery
from datasets.queries import export
from datasets.saved_queries import grid, wording
from datasets.saved_queries.answer import AnswerRow, QueryAnswer
from datasets.saved_queries.grid import Grid
from datasets.saved_queries.question import Question
from datasets.saved_queries.wording import Unit

_KINDS: dict[str, Kind] = {ChartKind.LINE: "line", ChartKind.BAR: "bar", ChartKind.STACKED_BAR: "stacked_bar"}
_MEMBERS = ("value", "moving", "previous", "hidden")  # of a row
_ADD_UP = ("sum", "count")  # methods by which the other series can be combined


def chart(saved_query: SavedQuery, answer: QueryAnswer) -> ChartData | None:
    """Return the data of the chart, or None for a number or a table, without rows, or with more than it can show."""
    return chart_of(saved_query, grid.of(answer, Question.stored(saved_query.question), saved_query.name))


def chart_of(saved_query: SavedQuery, found: Grid) -> ChartData | None:
    """Return the data of the chart as `chart` does, of an answer that is arranged already."""
    kind, places, columns = _KINDS.get(saved_query.chart), len(found.places), len(found.columns)
    if kind is None or not places or places > MAX_PLACES or places * columns > MAX_POINTS:
        return None
    question = Question.stored(saved_query.question)
    unit = Unit.of(saved_query, question)
    return ChartData(
        kind=kind,
        title=saved_query.name,
        description=saved_query.description,
        labels=found.starts or found.places,
        series=[Series(one.name, one.values, is_comparison=one.is_comparison) for one in found.columns],
        unit=unit.unit,
        decimals=unit.decimals,
        is_percent=unit.is_percent,
        period=question.period or None,
        time_zone=question.time_zone or "UTC",
        may_add_up=question.divided_by is None and (not question.measure.field or question.measure.method in _ADD_UP),
    )


def document(saved_query: SavedQuery, answer: QueryAnswer) -> dict[str, Any]:
    """Return the answer as a JSON object of the API."""
    question = Question.stored(saved_query.question)
    return {
        "id": saved_query.public_id,
        "name": saved_query.name,
        "description": saved_query.description,
        "unit": saved_query.unit,
        "start_at": answer.start_at or None,
        "end_at": answer.end_at or None,
        "updated_at": answer.updated_at or None,
        "is_late": answer.is_late,
        "hide_below": answer.hide_below,
        "data": [
            _row(row, question) | ({} if answer.hide_below is None else {"hidden": list(row.hidden)})
            for row in answer.rows
        ],
    }


def csv(saved_query: SavedQuery, answer: QueryAnswer) -> Iterator[str]:
    """Yield the lines of the answer as CSV, with a line for each period and group."""
    question = Question.stored(saved_query.question)
    header = list(_row(AnswerRow(), question))
    words = wording.hidden(answer)
    lines = (_row(row, question) | dict.fromkeys(row.hidden, words) for row in answer.rows)
    return export.table(header, ([line[name] for name in header] for line in lines))


def _row(row: AnswerRow, question: Question) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if question.period:
        found |= {"_start_at": row.start_at, "_end_at": row.end_at}
    if question.split:
        found[question.group_key(*_MEMBERS)] = row.split
    found["value"] = row.value
    if question.moving:
        found["moving"] = row.moving
    if question.compare:
        found["previous"] = row.previous
    return found
